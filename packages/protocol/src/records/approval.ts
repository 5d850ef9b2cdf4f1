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
  named,
  nullable,
  text,
} from './primitives.js';
import { RoutePolicy } from './approval-policy.js';
import { Recorder } from './execution.js';
import { DECISIONS } from './vocabulary.js';

/** Of a candidate, and on a decision that an emergency rule made. */
const VoteDecision = choice([...DECISIONS, 'ratify', 'object']);
const VoteMode = choice(['normal', 'break_glass', 'debt']);
const Ordinal = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** Two operators where a rule is guarded; `proto.local` for the local command (protocol §18.2). */
const ConfiguredBy = Type.Array(Identifier, { minItems: 1, maxItems: 2 });
const Base64url = Type.String({ pattern: '^[A-Za-z0-9_-]*$', maxLength: 8192 });

/** Null where the route has no policy any more (protocol §18.2). */
export const RoutePolicyConfigured = named('RoutePolicyConfigured', {
  route: Identifier,
  revision: Ordinal,
  policy: nullable(RoutePolicy),
  policy_digest: nullable(Digest),
  configured_by: ConfiguredBy,
});
export type RoutePolicyConfigured = Static<typeof RoutePolicyConfigured>;

/** The groups of a person. `person` is the digest of issuer, subject and tenant (protocol §18.1). */
export const MembershipConfigured = named('MembershipConfigured', {
  principal: Identifier,
  person: Digest,
  groups: Type.Array(Identifier, { maxItems: 50, uniqueItems: true }),
  team: nullable(Identifier),
  same_person_as: nullable(Identifier),
  revision: Ordinal,
  configured_by: ConfiguredBy,
  configured_at: MillisecondTimestamp,
});
export type MembershipConfigured = Static<typeof MembershipConfigured>;

const ApprovalStatement = closed({
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
  nonce: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
});

/**
 * One person's signed yes or no to one frozen candidate (protocol §18.4). Members of capabilities that a release lacks are
 * null in its records.
 */
export const ApprovalRecord = named('ApprovalRecord', {
  id: Uuid,
  /** Of the request's votes and endings together, from 1 without a gap. */
  number: Ordinal,
  request_id: Identifier,
  request_digest: Digest,
  purpose: PurposeName,
  policy_digest: Digest,
  candidate_id: Uuid,
  candidate_digest: Digest,
  response_digest: Digest,
  decision: VoteDecision,
  reviewer: Identifier,
  person: Digest,
  acting_for: nullable(
    closed({ reviewer: Identifier, person: Digest, delegation: Digest, membership: Digest }),
  ),
  /** From 1; 0 for a no. */
  stage: Type.Integer({ minimum: 0, maximum: 5 }),
  groups: Type.Array(Identifier, { minItems: 1, maxItems: 40, uniqueItems: true }),
  team: nullable(Identifier),
  membership: Digest,
  via: nullable(closed({ step: Type.Integer({ minimum: 1, maximum: 5 }), group: Identifier })),
  mode: VoteMode,
  emergency: nullable(closed({ reason: text(20, 300), reference: text(1, 160) })),
  attention: nullable(
    closed({
      tier: choice(['low', 'standard', 'high', 'critical']),
      material_first_read_at: MillisecondTimestamp,
      candidate_first_read_at: MillisecondTimestamp,
      read_ms: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
      typed: Type.Array(Type.String(), { maxItems: 3 }),
      client: closed({ document_end: Type.Boolean(), payload_opened: Type.Boolean() }),
    }),
  ),
  human: nullable(
    closed({
      credential: Uuid,
      bound: Digest,
      statement: ApprovalStatement,
      client_data_json: Base64url,
      authenticator_data: Base64url,
      signature: Base64url,
    }),
  ),
  approved_at: MillisecondTimestamp,
});
export type ApprovalRecord = Static<typeof ApprovalRecord>;

/** Why a vote no longer counts (protocol §18.4). */
export const ENDING_REASONS = [
  'withdrawn',
  'candidate_replaced',
  'candidate_gone',
  'member_removed',
  'earlier_stage_reopened',
  'credential_ended',
  'delegation_ended',
  'same_person',
] as const;

export const ApprovalEnded = named('ApprovalEnded', {
  number: Ordinal,
  request_id: Identifier,
  request_digest: Digest,
  approvals: Type.Array(Digest, { minItems: 1, maxItems: 20, uniqueItems: true }),
  reason: choice(ENDING_REASONS),
  recorded_by: Recorder,
  ended_at: MillisecondTimestamp,
});
export type ApprovalEnded = Static<typeof ApprovalEnded>;

/** The votes that decided, in the order of their numbers (protocol §18.6). */
export const Quorum = closed({
  policy_digest: Digest,
  outcome: choice(['reached', 'rejected']),
  mode: choice(['normal', 'break_glass']),
  approvals: Type.Array(
    closed({
      record: Digest,
      reviewer: Identifier,
      person: Digest,
      stage: Type.Integer({ minimum: 0, maximum: 5 }),
      group: nullable(Identifier),
    }),
    { minItems: 1, maxItems: 20 },
  ),
});
export type Quorum = Static<typeof Quorum>;
