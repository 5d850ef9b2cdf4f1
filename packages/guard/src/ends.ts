import type { ExecutionOutcome, SignedRecord } from '@countersign/client';
import { digestOf } from '@countersign/client';

import { AlreadyDone, Lapsed, NotDone, OutcomeUnknown, PartlyDone } from './errors.js';
import type { RunEnd } from './execute.js';
import type { ProbeAnswer } from './options.js';
import { snapshotOf } from './snapshot.js';

const MOST_RESULT_BYTES = 256 * 1024;

/** What the end of a function means: its outcome, or `unseen` where only the outside world knows. */
export type Classified =
  | { readonly status: 'completed'; readonly error?: never }
  | { readonly status: 'failed' | 'failed_partial'; readonly error: NotDone | PartlyDone }
  | { readonly status: 'unseen' };

/**
 * How an end is classified (docs/guard.md). A result is never taken for a failure, whatever it is; an error that says nothing
 * about the outside world is never taken for one.
 */
export function classified(
  end: RunEnd,
  classify: ((error: unknown) => NotDone | PartlyDone | undefined) | undefined,
): Classified {
  if (end.kind === 'returned') return { status: 'completed' };
  if (end.kind === 'open') return { status: 'unseen' };
  const known = end.error instanceof NotDone || end.error instanceof PartlyDone;
  const error = known ? end.error : classify?.(end.error);
  if (error instanceof NotDone) return { status: 'failed', error };
  if (error instanceof PartlyDone) return { status: 'failed_partial', error };
  return { status: 'unseen' };
}

export function outcomeOfProbe(answer: ProbeAnswer): ExecutionOutcome['status'] {
  switch (answer) {
    case 'done':
      return 'completed';
    case 'not done':
      return 'failed';
    case 'partly done':
      return 'failed_partial';
    default:
      return 'uncertain';
  }
}

/** The result as JSON; null for one that is no JSON. `undefined` counts as null. */
export function resultOf(value: unknown): { text: string; digest: string } | null {
  try {
    const snapshot = snapshotOf(value ?? null, 'result');
    return { text: JSON.stringify(snapshot), digest: digestOf(snapshot) };
  } catch {
    return null;
  }
}

export function isKept(text: string): boolean {
  return new TextEncoder().encode(text).length <= MOST_RESULT_BYTES;
}

/** What a recorded outcome means for a caller who did not run the function. */
export function endOf(requestId: string, record: SignedRecord, cause: unknown): Error {
  const { outcome } = record.payload as unknown as { outcome: ExecutionOutcome };
  const { reason } = outcome.details as { reason?: unknown };
  const says = typeof reason === 'string' ? reason : outcome.status;
  switch (outcome.status) {
    case 'completed':
      return new AlreadyDone(requestId, record);
    case 'failed':
      return new NotDone(says);
    case 'failed_partial':
      return new PartlyDone(says);
    case 'cancelled_before_dispatch':
      return new Lapsed(requestId, 'cancelled_before_dispatch', cause);
    case 'uncertain':
      return new OutcomeUnknown(requestId, cause);
    case 'abandoned':
      return new OutcomeUnknown(requestId, cause, 'abandoned');
  }
}
