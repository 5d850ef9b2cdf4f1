import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { PAGE_SIZES } from '../constants.js';
import {
  Count,
  Digest,
  Identifier,
  MillisecondTimestamp,
  PurposeName,
  SignedRecord,
  Uuid,
  choice,
  closed,
  named,
  nullable,
  text,
} from './primitives.js';
import { RoutePolicy } from './approval-policy.js';
import { Attention, Tier } from './attention.js';
import { SignedBy, assertion } from './assertion.js';
import { Recorder } from './execution.js';
import { DecisionCandidate } from './review.js';
import { DECISIONS } from './vocabulary.js';
import { ApprovalStatement, VoteDecision, VoteMode } from './statements.js';

const Ordinal = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** Two operators where a rule is guarded; `proto.local` for the local command (protocol §18.2). */
const ConfiguredBy = Type.Array(Identifier, { minItems: 1, maxItems: 2 });

/** Null where the route has no policy any more (protocol §18.2). */
export const RoutePolicyConfigured = named('RoutePolicyConfigured', {
  route: Identifier,
  revision: Ordinal,
  policy: nullable(RoutePolicy),
  policy_digest: nullable(Digest),
  configured_by: ConfiguredBy,
});
export type RoutePolicyConfigured = Static<typeof RoutePolicyConfigured>;

/** Null removes the policy. */
export const RoutePolicyInput = named('RoutePolicyInput', { policy: nullable(RoutePolicy) });
export type RoutePolicyInput = Static<typeof RoutePolicyInput>;

/** Of a change that waits for a second operator (protocol §18.2). */
const proposer = { by: Identifier, until: MillisecondTimestamp };

/** The policy in force. `configured_by` is empty, and the policy null, where a route never had one. */
export const RoutePolicyResult = named('RoutePolicyResult', {
  ...RoutePolicyConfigured.properties,
  configured_by: Type.Array(Identifier, { maxItems: 2 }),
  proposed: nullable(closed({ policy_digest: nullable(Digest), ...proposer })),
});
export type RoutePolicyResult = Static<typeof RoutePolicyResult>;

const membership = {
  groups: Type.Array(Identifier, { maxItems: 50, uniqueItems: true }),
  team: nullable(Identifier),
  same_person_as: nullable(Identifier),
};

export const MembershipInput = named('MembershipInput', membership);
export type MembershipInput = Static<typeof MembershipInput>;

/** The groups of a person. `person` is the digest of issuer, subject and tenant (protocol §18.1). */
export const MembershipConfigured = named('MembershipConfigured', {
  principal: Identifier,
  person: Digest,
  ...membership,
  revision: Ordinal,
  configured_by: ConfiguredBy,
  configured_at: MillisecondTimestamp,
});
export type MembershipConfigured = Static<typeof MembershipConfigured>;

/** The membership in force. Of a person who never had one: no groups, revision 0, and no time. */
export const MembershipResult = named('MembershipResult', {
  ...MembershipConfigured.properties,
  revision: Count,
  configured_by: Type.Array(Identifier, { maxItems: 2 }),
  configured_at: nullable(MillisecondTimestamp),
  proposed: nullable(closed({ membership_digest: Digest, ...proposer })),
});
export type MembershipResult = Static<typeof MembershipResult>;

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
  attention: nullable(Attention),
  human: nullable(
    closed({ credential: Uuid, bound: Digest, statement: ApprovalStatement, ...assertion }),
  ),
  approved_at: MillisecondTimestamp,
});
export type ApprovalRecord = Static<typeof ApprovalRecord>;

/**
 * The body of `review.approve`: the frozen candidate that a person votes for, or against by one that refuses. A yes under a
 * policy that asks for attention has the offer (protocol §18.12). Where it asks for keys of people, every vote has the offer
 * whose statement was signed, and the signature (protocol §19.7).
 */
export const ApprovalInput = named('ApprovalInput', {
  candidate_id: Uuid,
  candidate_digest: Digest,
  offer: Type.Optional(Digest),
  assertion: Type.Optional(SignedBy),
});
export type ApprovalInput = Static<typeof ApprovalInput>;

/** The vote, and the receipt when it decided. */
export const ApprovalResult = named('ApprovalResult', {
  approval: SignedRecord,
  receipt: nullable(SignedRecord),
});
export type ApprovalResult = Static<typeof ApprovalResult>;

export const APPROVAL_PHASES = ['collecting', 'reached', 'rejected', 'ended'] as const;
/** `lapsed`: it was live when the request ended without a decision. */
export const VOTE_STATES = ['live', 'counted', 'ended', 'lapsed'] as const;

const Shortage = closed({
  stage: Ordinal,
  group: Identifier,
  needed: Count,
  eligible: Count,
});

/** The votes of a request, and what the caller may do (protocol §18.11). */
export const ApprovalBoard = named('ApprovalBoard', {
  request_id: Uuid,
  policy_digest: Digest,
  phase: choice(APPROVAL_PHASES),
  /** Whether the people who may vote could still fill the seats that are open. */
  reachable: Type.Boolean(),
  short_of: Type.Array(Shortage),
  /** Those that can be voted for; `candidate` is null for a reader who may not see it. */
  candidates: Type.Array(
    closed({
      candidate: nullable(DecisionCandidate),
      candidate_id: Uuid,
      candidate_digest: Digest,
      author: Identifier,
      decision: choice(DECISIONS),
      /** Null of one that refuses. */
      open_stage: nullable(Ordinal),
      seats: Type.Array(
        closed({ stage: Ordinal, group: Identifier, filled_by: nullable(Identifier) }),
      ),
    }),
  ),
  /** Live votes that refuse. */
  rejections: Count,
  votes: Type.Array(
    closed({
      approval: Digest,
      reviewer: Identifier,
      acting_for: nullable(Identifier),
      decision: VoteDecision,
      candidate_digest: Digest,
      stage: Count,
      state: choice(VOTE_STATES),
      approved_at: MillisecondTimestamp,
      ended_reason: nullable(Identifier),
    }),
  ),
  /** Null for a caller who is no human. */
  mine: nullable(
    closed({
      can: Type.Array(choice(['approve', 'reject', 'withdraw'])),
      /** The code of the refusal that an approval would meet. */
      why_not: nullable(Identifier),
      groups: Type.Array(Identifier),
    }),
  ),
});
export type ApprovalBoard = Static<typeof ApprovalBoard>;

/** The pending requests of the caller's routes that several people decide, by deadline (protocol §18.11). */
export const ApprovalTodo = named('ApprovalTodo', {
  items: Type.Array(
    closed({
      request_id: Uuid,
      summary: Type.String(),
      deadline: MillisecondTimestamp,
      /** Of a capability that this release lacks. */
      /** Null where the policy asks for no attention. */
      tier: nullable(Tier),
      /** The open stage of the candidate that is furthest, with its seats. */
      stage: Type.Integer({ minimum: 1, maximum: 5 }),
      filled: Count,
      needed: Count,
      /** The decision of the caller's live vote. */
      mine: nullable(choice(DECISIONS)),
      /** Whether a yes of the caller would be taken now. */
      can_act: Type.Boolean(),
    }),
    { maxItems: PAGE_SIZES.approvals },
  ),
});
export type ApprovalTodo = Static<typeof ApprovalTodo>;

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
