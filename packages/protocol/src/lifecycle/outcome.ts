import { Refusal } from '../errors.js';
import type { Digest } from '../json/canonical.js';
import type { ExecutionClaim, ExecutionOutcome } from '../records/index.js';
import { formatTimestamp } from '../records/timestamp.js';
import { applyDue } from './apply-due.js';
import type { Lifecycle } from './state.js';
import { earlierDeletion, step } from './transition.js';
import type { Consequences, RequestFacts, Transition } from './transition.js';

/** The input of `execution-authority.report-outcome` and `execution-authority.reconcile`. */
export interface Outcome {
  readonly input: ExecutionOutcome;
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

/** The payload that the records of both operations have in common. */
export function outcomePayload({ id }: RequestFacts, outcome: Outcome, now: number) {
  return {
    claim_digest: outcome.claimDigest,
    outcome: outcome.input,
    recorded_at: formatTimestamp(now),
    request_id: id,
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
