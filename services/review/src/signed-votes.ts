import {
  Refusal,
  STATEMENT_MS,
  approvalStatement,
  fitsPolicy,
  textDigest,
  use,
  valueDigest,
  verifiedCredential,
} from '@countersign/protocol';
import type {
  ApprovalInput,
  ApprovalRecord,
  ApprovalStatement,
  CredentialBound,
  CredentialEnded,
  Digest,
  SignedRecord,
} from '@countersign/protocol';
import { verifyAssertion } from '@countersign/webauthn';
import type { ApprovedRequest } from './approved-request.js';
import type { ReviewDeps } from './deps.js';
import type { ActiveKey } from './store/signing.js';

// Votes that people sign with keys of their own, where the policy of the request asks for it (protocol §19.7).

/** How long a person has to sign, milliseconds: as long as the statement is good for. */
export const OFFER_MS = STATEMENT_MS;

/** Whether the votes of a request are signed by keys of people. */
export const asksForKey = ({ request }: ApprovedRequest): boolean =>
  request.approval.policy.human_key !== undefined;

/** A key of a person that may sign, with what its signed record binds. */
export interface UsableKey {
  readonly key: ActiveKey;
  readonly bound: CredentialBound;
  /** Texts of the ends of the keys that vouched for it. */
  readonly endings: readonly string[];
}

/**
 * A key that the person may sign votes of this request with, or null: it is active, bound to this principal and person at this
 * origin, and as the policy asks. A key that rests on one that was in other hands when it vouched is none. Throws
 * `identity_uncertain` for a key whose record does not verify.
 */
export async function usableKey(
  deps: ReviewDeps,
  { tenant, request }: ApprovedRequest,
  { reviewer, person }: Pick<ApprovalRecord, 'reviewer' | 'person'>,
  key: ActiveKey | null,
): Promise<UsableKey | null> {
  const policy = request.approval.policy.human_key;
  if (policy === undefined || key?.state !== 'active' || key.person !== person) return null;
  const bound = verifiedCredential(key.bound, { tenant, credential: key.id, person }, deps.trust);
  const isOwn = bound.principal === reviewer && bound.origin === deps.notary.origin;
  if (!isOwn || !fitsPolicy(bound, policy)) return null;
  const endings = await endingsOf(deps, tenant, key);
  const at = Date.parse(bound.bound_at);
  return endings.some((text) => wasInOtherHands(payloadOf(text), at))
    ? null
    : { key, bound, endings };
}

/** The ends of the keys that vouched for a key, of those that ended. */
async function endingsOf(deps: ReviewDeps, tenant: string, { vouchedBy }: ActiveKey) {
  const ids = vouchedBy.map((text) => payloadOf<CredentialBound>(text).credential);
  return ids.length === 0 ? [] : deps.signing.endings(tenant, ids);
}

const payloadOf = <Payload>(text: string): Payload =>
  (JSON.parse(text) as SignedRecord).payload as Payload;

function wasInOtherHands({ compromised_since: since }: CredentialEnded, at: number): boolean {
  return since !== null && Date.parse(since) <= at;
}

/** The newest of the person's keys that may sign, or the one that is named. Throws `human_key_required` without one. */
export async function keyToSign(
  deps: ReviewDeps,
  stored: ApprovedRequest,
  by: Pick<ApprovalRecord, 'reviewer' | 'person'>,
  named: string | undefined,
): Promise<UsableKey> {
  for (const key of await deps.signing.keysOf(stored.tenant, by.person)) {
    if (named !== undefined && key.id !== named) continue;
    const usable = await usableKey(deps, stored, by, key);
    if (usable !== null) return usable;
  }
  throw new Refusal('human_key_required');
}

/** What a person signs with this vote. */
export function statementOf(
  { notary }: ReviewDeps,
  { request, digest }: ApprovedRequest,
  record: ApprovalRecord,
  offer: { readonly credential: string; readonly issuedAt: number; readonly nonce: string },
): ApprovalStatement {
  return approvalStatement({
    issuer: notary.origin,
    request,
    requestDigest: digest,
    candidate: {
      id: record.candidate_id,
      digest: record.candidate_digest,
      response_digest: record.response_digest,
    },
    vote: { ...record, acting_for: null, credential: offer.credential },
    offer: { issued_at: new Date(offer.issuedAt).toISOString(), nonce: offer.nonce },
  });
}

/** A vote with its signature, and what is saved with it. */
export interface SignedVote {
  readonly human: NonNullable<ApprovalRecord['human']>;
  readonly statementDigest: Digest;
  readonly counter: number;
  /** The records that a verifier needs of the key: texts of its CredentialBound, and of those that it rests on. */
  readonly evidence: readonly { readonly type: string; readonly text: string }[];
}

/**
 * Judges the signature of a vote. Throws `human_key_required` without a key that may sign, `offer_expired` for an offer that is
 * not for exactly this vote, and `invalid_assertion`; a counter that steps back suspends the key first (protocol §19.4).
 */
export async function signedVote(
  deps: ReviewDeps,
  stored: ApprovedRequest,
  record: ApprovalRecord,
  { offer: digest, assertion: signed }: ApprovalInput,
  now: number,
): Promise<SignedVote> {
  if (digest === undefined || signed === undefined) throw new Refusal('human_key_required');
  const { tenant } = stored;
  const { credential, ...assertion } = signed;
  const [offer, found] = await Promise.all([
    deps.signing.offer(tenant, digest),
    deps.signing.key(tenant, credential),
  ]);
  const usable = await usableKey(deps, stored, record, found);
  if (usable === null) throw new Refusal('human_key_required');
  // Whatever the offer was made of is in its digest: the request, the candidate, the person and the key among it.
  const statement = offer && statementOf(deps, stored, record, offer);
  const isOver = offer === null || now > offer.issuedAt + OFFER_MS;
  if (isOver || statement === null || valueDigest(statement) !== digest) {
    throw new Refusal('offer_expired');
  }
  const { key, bound, endings } = usable;
  const counter =
    statement.credential === credential ? await verifyAssertion(statement, assertion, bound) : null;
  if (counter === null) {
    deps.keys.asserted('refused');
    throw new Refusal('invalid_assertion');
  }
  const { refused, incident } = use(key, { person: record.person, counter }, now);
  deps.keys.asserted(incident === null ? 'good' : 'stepped_back');
  if (incident !== null) await deps.signing.suspend(tenant, key.id);
  if (refused !== null) throw new Refusal(refused);
  return {
    human: { credential, bound: textDigest(key.bound), statement, ...assertion },
    statementDigest: digest as Digest,
    counter,
    evidence: [
      ...[key.bound, ...key.vouchedBy].map((text) => ({ type: 'CredentialBound', text })),
      ...endings.map((text) => ({ type: 'CredentialEnded', text })),
    ],
  };
}

/** Throws `invalid_ApprovalInput` for a signature that the policy does not ask for: it would count for nothing. */
export function requireUnsigned({ offer, assertion }: ApprovalInput): void {
  if (offer !== undefined || assertion !== undefined) throw new Refusal('invalid_ApprovalInput');
}
