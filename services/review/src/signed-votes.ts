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
import type { ActiveKey, Offered } from './store/signing.js';

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

/** What a person says with this vote, and signs where the policy asks for keys. */
export function statementOf(
  { notary }: ReviewDeps,
  { request, digest }: ApprovedRequest,
  record: ApprovalRecord,
  offer: Offered,
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
    vote: {
      ...record,
      acting_for: null,
      ...{ credential: offer.credential, attention: offer.attention },
    },
    offer: { issued_at: new Date(offer.issuedAt).toISOString(), nonce: offer.nonce },
  });
}

/** A vote with the offer that it takes. */
export interface OfferedVote extends Pick<Offered, 'attention' | 'characters'> {
  readonly statementDigest: Digest;
}

/** A vote with its signature, and what is saved with it. */
export interface SignedVote extends OfferedVote {
  readonly human: NonNullable<ApprovalRecord['human']>;
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
  const found = await deps.signing.key(tenant, credential);
  const usable = await usableKey(deps, stored, record, found);
  if (usable === null) throw new Refusal('human_key_required');
  const { statement, attention, characters } = await offeredStatement(
    deps,
    stored,
    record,
    digest,
    now,
  );
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
    attention,
    characters,
    statementDigest: digest as Digest,
    counter,
    evidence: [
      ...[key.bound, ...key.vouchedBy].map((text) => ({ type: 'CredentialBound', text })),
      ...endings.map((text) => ({ type: 'CredentialEnded', text })),
    ],
  };
}

/** Throws `offer_expired` for an offer that is not there any more, or is not for exactly this vote. */
export async function offeredStatement(
  deps: ReviewDeps,
  stored: ApprovedRequest,
  record: ApprovalRecord,
  digest: string,
  now: number,
): Promise<{ statement: ApprovalStatement } & Pick<Offered, 'attention' | 'characters'>> {
  const offer = await deps.signing.offer(stored.tenant, digest);
  if (offer === null || now > offer.issuedAt + OFFER_MS) throw new Refusal('offer_expired');
  // Whatever the offer was made of is in its digest: the request, the candidate, the person and the key among it.
  const statement = statementOf(deps, stored, record, offer);
  if (valueDigest(statement) !== digest) throw new Refusal('offer_expired');
  return { statement, attention: offer.attention, characters: offer.characters };
}
