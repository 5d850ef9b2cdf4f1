import { EXTENSION_PROFILES } from '../../constants.js';
import type * as records from '../index.js';
import { AuditExport, DecisionReceipt, Evidence, SignedRecord } from './evidence.js';
import { CANDIDATE_ID, REQUEST_ID, digest } from './example-ids.js';
import { DecisionRequest } from './request.js';

const POLICY_DIGEST = digest('5d');

/** One of finance and two of platform, all of different teams. */
export const RoutePolicy: records.RoutePolicy = {
  quorum: {
    stages: [
      {
        name: 'all',
        seats: [
          { group: 'finance', count: 1 },
          { group: 'platform', count: 2 },
        ],
      },
    ],
    distinct_by: 'team',
    rejection: { count: 1 },
    author_may_approve: true,
    exclude: { publisher_people: true, operators: false },
    withdraw_after_completion: true,
    guard: true,
  },
};

export const RoutePolicyConfigured: records.RoutePolicyConfigured = {
  route: 'payments',
  revision: 4,
  policy: RoutePolicy,
  policy_digest: POLICY_DIGEST,
  configured_by: ['op-1'],
};

export const RoutePolicyInput: records.RoutePolicyInput = { policy: RoutePolicy };

export const RoutePolicyResult: records.RoutePolicyResult = {
  ...RoutePolicyConfigured,
  proposed: { policy_digest: null, by: 'op-1', until: '2026-05-01T08:00:00.000Z' },
};

export const MembershipConfigured: records.MembershipConfigured = {
  principal: 'plat-1',
  person: digest('7e'),
  groups: ['oncall', 'platform'],
  team: 'team-blue',
  same_person_as: null,
  revision: 2,
  configured_by: ['op-1', 'op-2'],
  configured_at: '2026-04-30T08:00:00.000Z',
};

export const MembershipInput: records.MembershipInput = {
  groups: ['oncall', 'platform'],
  team: 'team-blue',
  same_person_as: null,
};

export const MembershipResult: records.MembershipResult = {
  ...MembershipConfigured,
  proposed: { membership_digest: digest('9b'), by: 'op-1', until: '2026-05-01T08:00:00.000Z' },
};

export const ApprovalInput: records.ApprovalInput = {
  candidate_id: CANDIDATE_ID,
  candidate_digest: digest('d2'),
};

export const ApprovalBoard: records.ApprovalBoard = {
  request_id: REQUEST_ID,
  policy_digest: POLICY_DIGEST,
  phase: 'collecting',
  reachable: true,
  short_of: [],
  candidates: [
    {
      candidate: null,
      candidate_id: CANDIDATE_ID,
      candidate_digest: digest('d2'),
      author: 'fin-1',
      decision: 'authorise',
      open_stage: 1,
      seats: [
        { stage: 1, group: 'finance', filled_by: 'fin-1' },
        { stage: 1, group: 'platform', filled_by: null },
        { stage: 1, group: 'platform', filled_by: null },
      ],
    },
  ],
  rejections: 0,
  votes: [
    {
      approval: digest('a1'),
      reviewer: 'fin-1',
      acting_for: null,
      decision: 'authorise',
      candidate_digest: digest('d2'),
      stage: 1,
      state: 'live',
      approved_at: '2026-05-01T09:04:00.000Z',
      ended_reason: null,
    },
  ],
  mine: { can: ['approve', 'reject'], why_not: null, groups: ['platform'] },
};

export const ApprovalTodo: records.ApprovalTodo = {
  items: [
    {
      request_id: REQUEST_ID,
      summary: 'Pay the invoice 4711',
      deadline: '2026-05-01T10:00:00.000Z',
      tier: null,
      stage: 1,
      filled: 1,
      needed: 3,
      mine: null,
      can_act: true,
    },
  ],
};

export const ApprovalRecord: records.ApprovalRecord = {
  id: '5b2f0c9a-1d3e-4c7f-8a6b-2e4d6f8a0c1b',
  number: 3,
  request_id: REQUEST_ID,
  request_digest: digest('ab'),
  purpose: 'authorise_execution',
  policy_digest: POLICY_DIGEST,
  candidate_id: CANDIDATE_ID,
  candidate_digest: digest('d2'),
  response_digest: digest('d1'),
  decision: 'authorise',
  reviewer: 'plat-1',
  person: digest('7e'),
  acting_for: null,
  stage: 1,
  groups: ['platform'],
  team: 'team-blue',
  membership: digest('e7'),
  via: null,
  mode: 'normal',
  emergency: null,
  attention: null,
  human: null,
  approved_at: '2026-05-01T09:05:00.000Z',
};

export const ApprovalResult: records.ApprovalResult = {
  approval: SignedRecord,
  receipt: null,
};

export const ApprovalEnded: records.ApprovalEnded = {
  number: 4,
  request_id: REQUEST_ID,
  request_digest: digest('ab'),
  approvals: [digest('b2')],
  reason: 'withdrawn',
  recorded_by: { kind: 'human', subject: 'plat-1' },
  ended_at: '2026-05-01T09:06:00.000Z',
};

export const ExtendedDecisionRequest: records.ExtendedDecisionRequest = {
  ...DecisionRequest,
  profiles: { ...DecisionRequest.profiles, ...EXTENSION_PROFILES },
  approval: { policy: RoutePolicy, policy_digest: POLICY_DIGEST, excluded: [digest('0a')] },
};

export const ExtendedDecisionReceipt: records.ExtendedDecisionReceipt = {
  ...DecisionReceipt,
  reviewer: 'plat-1',
  quorum: {
    policy_digest: POLICY_DIGEST,
    outcome: 'reached',
    mode: 'normal',
    approvals: [
      {
        record: digest('a1'),
        reviewer: 'fin-1',
        person: digest('1c'),
        stage: 1,
        group: 'finance',
      },
      {
        record: digest('b3'),
        reviewer: 'plat-4',
        person: digest('90'),
        stage: 1,
        group: 'platform',
      },
      {
        record: digest('c3'),
        reviewer: 'plat-1',
        person: digest('7e'),
        stage: 1,
        group: 'platform',
      },
    ],
  },
} as records.ExtendedDecisionReceipt;

export const ExtendedAuditExport: records.ExtendedAuditExport = {
  ...AuditExport,
  request: ExtendedDecisionRequest,
  evidence: { records: [SignedRecord] },
};

export const ExtendedEvidence: records.ExtendedEvidence = {
  ...Evidence,
  export: ExtendedAuditExport,
};
