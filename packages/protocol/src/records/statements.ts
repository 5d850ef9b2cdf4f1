import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import {
  Digest,
  Identifier,
  MillisecondTimestamp,
  PurposeName,
  Uuid,
  choice,
  closed,
  nullable,
} from './primitives.js';
import { CredentialKey } from './credential-key.js';
import { DECISIONS } from './vocabulary.js';

/** Of a candidate, and on a decision that an emergency rule made. */
export const VoteDecision = choice([...DECISIONS, 'ratify', 'object']);
export const VoteMode = choice(['normal', 'break_glass', 'debt']);

/** 16 bytes that the service chose. */
export const Nonce = Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' });

/** What a person's key signs with a vote (protocol §19.1). */
export const ApprovalStatement = closed({
  statement: Type.Literal('proto.approval-statement/1'),
  issuer: Type.String(),
  tenant: Identifier,
  purpose: PurposeName,
  request_id: Identifier,
  request_digest: Digest,
  policy_digest: Digest,
  candidate_id: Uuid,
  candidate_digest: Digest,
  response_digest: Digest,
  decision: VoteDecision,
  mode: VoteMode,
  reviewer: Identifier,
  person: Digest,
  acting_for: nullable(Identifier),
  emergency: nullable(Digest),
  attention: nullable(Digest),
  credential: nullable(Uuid),
  issued_at: MillisecondTimestamp,
  nonce: Nonce,
});
export type ApprovalStatement = Static<typeof ApprovalStatement>;

/** What a new key signs: that it is this person's (protocol §19.3). */
export const EnrolmentStatement = closed({
  statement: Type.Literal('proto.enrolment-statement/1'),
  issuer: Type.String(),
  tenant: Identifier,
  principal: Identifier,
  person: Digest,
  credential: Uuid,
  public_key: CredentialKey,
  issued_at: MillisecondTimestamp,
  nonce: Nonce,
});
export type EnrolmentStatement = Static<typeof EnrolmentStatement>;

/** What another key signs: that its person vouches for an enrolment (protocol §19.3). */
export const CountersignStatement = closed({
  statement: Type.Literal('proto.countersign-statement/1'),
  issuer: Type.String(),
  tenant: Identifier,
  /** Principal id of the person who countersigns, and that person. */
  operator: Identifier,
  person: Digest,
  /** Value digest of the enrolment's statement. */
  enrolment: Digest,
  /** From 1: a suspended key is countersigned again. */
  attempt: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
});
export type CountersignStatement = Static<typeof CountersignStatement>;
