import { ServiceRefusal, Unreachable, WaitEnded } from '@countersign/client/node';
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
} from '@countersign/guard/node';

/** Where a call is, or how it ended, for a program and in a sentence for an agent. */
export interface CallEnd {
  readonly state:
    | 'completed'
    | 'denied'
    | 'failed'
    | 'failed_partial'
    | 'lapsed'
    | 'pending'
    | 'refused'
    | 'running'
    | 'tool_changed'
    | 'unavailable'
    | 'unknown'
    | 'used';
  readonly sentence: string;
  /** Whether the next call of the same words is a new one. */
  readonly isFinal: boolean;
}

const final = (state: CallEnd['state'], sentence: string): CallEnd => ({
  ...{ state, sentence, isFinal: true },
});

/** What an error of the guard means for the agent that made the call. */
export function endOf(error: unknown): CallEnd {
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

export function pending(link: string): CallEnd {
  return {
    state: 'pending',
    sentence: `A person has to authorise this call first: ${link} It has not run. Call again with the same arguments, which finds the decision; other arguments are another request.`,
    isFinal: false,
  };
}

/** It was launched, perhaps by a process that is gone, and has no end yet. */
export const RUNNING: CallEnd = {
  state: 'running',
  sentence:
    'This call was authorised and may be running; its end is not known yet. It does not run a second time. Call again with the same arguments to learn its end.',
  isFinal: false,
};
