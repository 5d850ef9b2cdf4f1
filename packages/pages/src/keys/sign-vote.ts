import type {
  ApprovalOffer,
  DecisionRequest,
  Digest,
  ExtendedDecisionRequest,
  SignedBy,
} from '@countersign/protocol';

import { send } from '../api/client.js';
import { canonicalText, valueDigest } from '../material/digest.js';
import type { Frozen } from '../review/proposal-slot.js';
import { KeyFault, signWith } from './authenticator.js';
import type { ActiveKey } from './own-keys.js';
import { approvalStatement } from './statements.js';
import type { Signer } from './statements.js';

/** What a vote has beside the candidate (protocol §19.7). */
export interface VoteSignature {
  readonly offer: string;
  readonly assertion: SignedBy;
}

/**
 * Asks for an offer, makes the statement of what this page shows, and has the key sign that one. Throws `KeyFault` with `differs`
 * where the service offers anything else.
 */
export async function signVote(
  {
    signer,
    request,
    requestDigest,
    key: { bound },
  }: {
    readonly signer: Signer;
    /** The request that is shown. */
    readonly request: DecisionRequest;
    readonly requestDigest: string;
    readonly key: ActiveKey;
  },
  { candidate, digest }: Pick<Frozen, 'candidate' | 'digest'>,
  signal: AbortSignal,
): Promise<VoteSignature> {
  const { credential, person } = bound;
  const asked = { candidate_id: candidate.id, candidate_digest: digest, credential };
  const path = `/v2/requests/${request.id}/approvals/offer`;
  const offered = await send<ApprovalOffer>('POST', path, asked, { signal });
  const { issued_at, nonce } = offered.statement;
  const own = await approvalStatement({
    ...{ signer, candidate, person, credential, issued_at, nonce },
    request: request as ExtendedDecisionRequest,
    requestDigest: requestDigest as Digest,
    candidateDigest: digest as Digest,
  });
  const isSame =
    canonicalText(own) === canonicalText(offered.statement) &&
    (await valueDigest(own)) === offered.offer;
  if (!isSame) throw new KeyFault('differs');
  return { offer: offered.offer, assertion: await signWith(bound, own, signal) };
}
