import { ServiceRefusal, Unreachable, WaitEnded } from '@countersign/client';

import {
  AlreadyDone,
  AlreadyUsed,
  ArgumentsChanged,
  Conflict,
  Lapsed,
  NotDone,
  OutcomeUnknown,
  PartlyDone,
  Refused,
} from './errors.js';

/** How a call of a tool ended that gave no result. */
export interface CallFault {
  readonly state:
    | 'failed'
    | 'failed_partial'
    | 'lapsed'
    | 'refused'
    | 'unavailable'
    | 'unknown'
    | 'used';
  /** For the model that made the call. */
  readonly sentence: string;
  /** Whether the call is over; otherwise it may be made again. */
  readonly isFinal: boolean;
}

const final = (state: CallFault['state'], sentence: string): CallFault => ({
  ...{ state, sentence, isFinal: true },
});

/** What an error of a guard means for the model that made the call. */
export function faultOf(error: unknown): CallFault {
  if (error instanceof Refused) {
    const { note } = (error.response ?? {}) as { note?: unknown };
    const says = typeof note === 'string' && note !== '' ? ` The reviewer's note: ${note}` : '';
    return final('refused', `A reviewer refused this call. It did not run.${says}`);
  }
  if (error instanceof Lapsed)
    return final('lapsed', `There is no authority for this call (${error.why}). It did not run.`);
  if (error instanceof NotDone) return final('failed', `It did not happen: ${error.reason}`);
  if (error instanceof PartlyDone)
    return final('failed_partial', `It failed and may have done a part: ${error.reason}`);
  if (error instanceof OutcomeUnknown || error instanceof Conflict)
    return final(
      'unknown',
      'The outcome of this call is unknown: it may have happened. Do not repeat it; look whether it did.',
    );
  if (error instanceof AlreadyDone)
    return final('used', 'This call was completed before, and its result is not kept.');
  if (error instanceof AlreadyUsed)
    return final('used', 'This action was used before. It did not run again.');
  if (error instanceof ArgumentsChanged)
    return final(
      'used',
      'This action was asked for with other arguments. It did not run: it has to be an action of its own.',
    );
  return { state: 'unavailable', sentence: unavailable(error), isFinal: false };
}

function unavailable(error: unknown): string {
  if (error instanceof WaitEnded) return 'The wait ended, and the request stays open.';
  if (error instanceof Unreachable)
    return 'The review service cannot be reached. The call did not run; try again later.';
  if (error instanceof ServiceRefusal)
    return `The review service refused the request (${error.code}). The call did not run. ${error.detail}`;
  // A TypeError of the guard names an argument and never its value.
  return `The call did not run: ${error instanceof Error ? error.message : String(error)}`;
}
