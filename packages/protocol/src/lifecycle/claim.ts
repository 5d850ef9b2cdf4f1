import { Refusal } from '../errors.js';
import { valueDigest } from '../json/index.js';
import type { Digest } from '../json/canonical.js';
import type { ClaimInput, DecisionRequest } from '../records/index.js';
import { formatTimestamp } from '../records/timestamp.js';
import { requireAuthority } from './authority.js';
import type { TenantState } from './authority.js';
import type { Lifecycle } from './state.js';
import { step } from './transition.js';
import type { RequestFacts, Transition } from './transition.js';

export interface Claiming {
  readonly input: ClaimInput;
  /** Id of the new claim. */
  readonly claimId: string;
  readonly receiptDigest: Digest;
  /** The request that the occurrence belongs to, and the claim that consumed it. */
  readonly occurrence: { readonly request: string | null; readonly consumedBy: string | null };
  /** Another claim of the owner has the same execution identity. */
  readonly identityUsed: boolean;
}

/**
 * `execution-authority.claim`: the one use of the grant. It consumes the occurrence once and for ever, and sets the time at
 * which an execution without an outcome is asked for (R23).
 */
export function claim(
  state: Lifecycle,
  about: RequestFacts,
  { input, claimId, receiptDigest, occurrence, identityUsed }: Claiming,
  tenant: TenantState,
  now: number,
): Transition {
  const authority = requireAuthority(state, about, 'available', tenant, now);
  const { id, digest, request } = about;
  const execution = request.execution as NonNullable<DecisionRequest['execution']>;
  if (valueDigest(execution) !== input.execution_binding_digest) {
    throw new Refusal('execution_binding_changed');
  }
  if (occurrence.request !== id || occurrence.consumedBy !== null) {
    throw new Refusal('occurrence_consumed');
  }
  if (identityUsed) throw new Refusal('identity_conflict');
  const dispatchBefore = state.grantDeadline as number;
  return step(
    authority,
    'claimed',
    { grant: 'consumed', execution: 'claimed', claimed: true },
    {
      record: {
        type: 'ExecutionClaim',
        payload: {
          action_occurrence_id: execution.action_occurrence_id,
          claimed_at: formatTimestamp(now),
          dispatch_before: formatTimestamp(dispatchBefore),
          execution_binding_digest: input.execution_binding_digest,
          execution_identity: input.execution_identity,
          execution_seconds: execution.execution_seconds,
          id: claimId,
          receipt_digest: receiptDigest,
          request_digest: digest,
          request_id: id,
        },
      },
      deadlines: [
        { kind: 'reconciliation', due: dispatchBefore + execution.execution_seconds * 1000 },
      ],
      takes: [
        { fact: 'occurrence', value: execution.action_occurrence_id },
        { fact: 'identity', value: input.execution_identity },
      ],
    },
  );
}
