import { Refusal } from '../errors.js';
import type { Digest } from '../json/canonical.js';
import type { AdmissionInput, ExecutionClaim } from '../records/index.js';
import { formatTimestamp } from '../records/timestamp.js';
import { requireAuthority } from './authority.js';
import type { TenantState } from './authority.js';
import type { Lifecycle } from './state.js';
import { quietly } from './transition.js';
import type { RequestFacts, Transition } from './transition.js';

export const MOST_ADMISSIONS = 64;

export interface Admitting {
  readonly input: AdmissionInput;
  readonly claim: ExecutionClaim | null;
  readonly claimDigest: Digest;
  /** AnchorProof as canonical text. Null where the ledger does not have it whole: no executor takes the permit then. */
  readonly anchor: string | null;
  readonly nonceUsed: boolean;
}

/**
 * `execution-authority.admit`: another bounded permit for the caller's own claim. It ends with the grant's deadline, which no
 * permit moves, and has no event (protocol §3.5).
 */
export function admit(
  state: Lifecycle,
  about: RequestFacts,
  { input, claim, claimDigest, anchor, nonceUsed }: Admitting,
  tenant: TenantState,
  now: number,
): Transition {
  const authority = requireAuthority(state, about, 'consumed', tenant, now);
  const isOwn =
    claim?.id === input.claim_id && claim.execution_identity === input.execution_identity;
  if (!isOwn || state.outcomeRecorded) throw new Refusal('claim_unavailable');
  if (state.admissions >= MOST_ADMISSIONS) throw new Refusal('admission_check_limit');
  if (nonceUsed) throw new Refusal('nonce_reused');
  return quietly(
    authority,
    { execution: 'admitted', admissions: state.admissions + 1 },
    {
      record: {
        type: 'AdmissionStatus',
        payload: {
          checked_at: formatTimestamp(now),
          claim_digest: claimDigest,
          claim_id: claim.id,
          dispatch_before: claim.dispatch_before,
          execution_binding_digest: claim.execution_binding_digest,
          execution_identity: claim.execution_identity,
          execution_seconds: claim.execution_seconds,
          nonce: input.nonce,
          request_id: about.id,
        },
        canonical: { anchor: anchor ?? 'null' },
      },
      takes: [{ fact: 'nonce', value: input.nonce }],
    },
  );
}
