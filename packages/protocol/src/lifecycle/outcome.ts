import { Refusal } from '../errors.js';
import { canonicalText } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import type { JsonText } from '../json/text.js';
import type { ExecutionClaim, ExecutionOutcome, Recorder } from '../records/index.js';
import { formatTimestamp } from '../records/timestamp.js';
import { applyDue } from './apply-due.js';
import type { Lifecycle } from './state.js';
import { earlierDeletion, step } from './transition.js';
import type { Consequences, RequestFacts, Transition } from './transition.js';

/** An outcome whose details stay text: they may be large, and are only recorded (R35). */
export interface ReadOutcome extends Omit<ExecutionOutcome, 'details'> {
  /** The details give a reason and evidence. */
  readonly explained: boolean;
  /** Canonical form of the whole outcome. */
  readonly text: JsonText<ExecutionOutcome>;
}

/** `text`: its canonical form, where that is known already. */
export function readOutcome(
  outcome: ExecutionOutcome,
  text: JsonText<ExecutionOutcome> = canonicalText(outcome),
): ReadOutcome {
  const { execution_identity, status } = outcome;
  const { reason, evidence } = outcome.details as { reason?: unknown; evidence?: unknown };
  return { execution_identity, status, explained: Boolean(reason) && Boolean(evidence), text };
}

/** The input of `execution-authority.report-outcome` and `execution-authority.reconcile`. */
export interface Outcome {
  readonly input: ReadOutcome;
  /** The request's claim. */
  readonly claim: ExecutionClaim | null;
  readonly claimDigest: Digest;
}

/** Refuses `claim_unavailable` unless the outcome is that of the request's claim. */
export function requireOwnClaim(state: Lifecycle, { input, claim }: Outcome): void {
  if (!state.claimed || claim?.execution_identity !== input.execution_identity) {
    throw new Refusal('claim_unavailable');
  }
}

/** The common members of the records of both operations. */
export function outcomeDraft<By extends Recorder>(
  { id }: RequestFacts,
  { claimDigest, input }: Outcome,
  recordedBy: By,
  now: number,
) {
  return {
    payload: {
      claim_digest: claimDigest,
      recorded_at: formatTimestamp(now),
      recorded_by: recordedBy,
      request_id: id,
    },
    canonical: { outcome: input.text },
  };
}

/**
 * The step that both operations have in common. Material is deleted no later than the request's reconciliation seconds from
 * now, and the outcome is no longer asked for (R23).
 */
export function recordOutcome(
  state: Lifecycle,
  { request }: RequestFacts,
  { input }: Outcome,
  consequences: Consequences,
  now: number,
): Transition {
  const privateDeleteAt = Math.min(
    state.privateDeleteAt,
    now + request.limits.reconciliation_seconds * 1000,
  );
  return step(
    applyDue(state, now),
    'outcome',
    { execution: input.status, outcomeRecorded: true, privateDeleteAt },
    {
      deadlines: earlierDeletion(state, privateDeleteAt),
      settled: ['reconciliation', 'reconciliation_end'],
      ...consequences,
    },
  );
}
