import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { Base64url } from './assertion.js';
import { ClientWord, TypedValue } from './attention.js';
import { Digest, MillisecondTimestamp, Uuid, closed, named, nullable, text } from './primitives.js';
import { ApprovalStatement } from './statements.js';

/**
 * The body of `review.offer-approval`: the frozen candidate, with which of the caller's keys it is to be signed, and what the
 * policy wants typed for a yes.
 */
export const OfferInput = named('OfferInput', {
  candidate_id: Uuid,
  candidate_digest: Digest,
  /** The newest active key that the policy takes, without it. */
  credential: Type.Optional(Uuid),
  /** Votes have other modes in releases to come. */
  mode: Type.Optional(Type.Literal('normal')),
  typed: Type.Optional(Type.Array(TypedValue, { maxItems: 3 })),
  client: Type.Optional(ClientWord),
});
export type OfferInput = Static<typeof OfferInput>;

/** Options of `navigator.credentials.get` (WebAuthn, 5.5), in the form of `parseRequestOptionsFromJSON`. */
const RequestOptions = closed({
  challenge: Base64url,
  timeout: Type.Integer({ minimum: 1, maximum: 300_000 }),
  rpId: text(1, 253),
  /** The key that the statement names: no other one can sign it. */
  allowCredentials: Type.Array(closed({ type: Type.Literal('public-key'), id: Base64url }), {
    minItems: 1,
    maxItems: 1,
  }),
  userVerification: Type.Literal('required'),
});

/** The statement of a vote, and what a browser is asked with for its signature (protocol §18.12, §19.7). */
export const ApprovalOffer = named('ApprovalOffer', {
  statement: ApprovalStatement,
  /** Value digest of the statement: the vote names it. */
  offer: Digest,
  /** Null where the policy asks for no key. */
  options: nullable(RequestOptions),
  expires_at: MillisecondTimestamp,
});
export type ApprovalOffer = Static<typeof ApprovalOffer>;
