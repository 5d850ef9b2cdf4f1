import type { CheckCode } from './checks.js';
import type { Check, CheckStatus, ChecklistItem } from './verdict.js';

interface Point {
  readonly item: number;
  readonly asks: string;
  readonly codes: readonly CheckCode[];
  /** Further ones where several people decide. */
  readonly approvals?: readonly CheckCode[];
  /** Further ones where the policy asks for attention of a high tier. */
  readonly attention?: readonly CheckCode[];
  /** Further ones where they sign with keys of their own. */
  readonly keys?: readonly CheckCode[];
  /** A point that only the executor itself can ensure. */
  readonly own?: string;
}

/** Where people sign with keys of their own. */
const OF_KEYS: readonly CheckCode[] = [
  'human_present',
  'human_statement',
  'human_challenge',
  'human_flags',
  'human_signature',
  'human_credential',
  'human_enrolment',
  'human_counter',
];

/** Where a policy of a high tier asks for attention. */
const OF_ATTENTION: readonly CheckCode[] = ['approval_attention'];

/** Protocol §15. */
const POINTS: readonly Point[] = [
  {
    item: 1,
    asks: 'The request: revision, purpose, profiles, tenant, producer, provenance, and the execution you expect',
    codes: [
      'request_digest',
      'request_bound',
      'request_profiles',
      'request_execution',
      'expected_tenant',
      'expected_audience',
      'expected_binding',
    ],
  },
  {
    item: 2,
    asks: 'Receipt, claim and admission verify and carry the request’s profiles',
    codes: ['record_signature', 'record_payload', 'record_header', 'record_request'],
  },
  {
    item: 3,
    asks: 'The chain from the material to the decision to the claim to your own admission',
    codes: [
      'material_payload',
      'material_schema',
      'material_document',
      'material_bundle',
      'material_kept',
      'candidate_request',
      'candidate_response',
      'receipt_present',
      'receipt_candidate',
      'receipt_requester',
      'claim_once',
      'claim_receipt',
      'claim_binding',
      'admission_claim',
      'admission_anchor',
      'receipt_grant',
      'expected_identity',
      'expected_nonce',
    ],
    approvals: [
      'approval_numbers',
      'approval_policy',
      'approval_candidate',
      'approval_people',
      'approval_membership',
      'approval_seats',
      'approval_order',
      'approval_live',
      'approval_complete',
      'approval_ledger',
    ],
    attention: OF_ATTENTION,
    keys: OF_KEYS,
  },
  {
    item: 4,
    asks: 'The anchor proof, with your own look into the anchor store',
    codes: ['anchor_proof', 'anchor_key', 'anchor_store'],
  },
  {
    item: 5,
    asks: 'The times',
    codes: [
      'record_time',
      'request_times',
      'receipt_times',
      'receipt_grant',
      'claim_times',
      'admission_times',
    ],
    approvals: ['approval_times'],
  },
  {
    item: 6,
    asks: 'The clocks: monotonic start before the admission, and how far wall clocks may differ',
    codes: [],
    own: 'Only the executor knows when it asked: start a monotonic clock before you ask for admission and stop at start + (dispatch_before − checked_at).',
  },
  {
    item: 7,
    asks: 'Originals and a one-use launch fence are on disk before the effect',
    codes: [],
    own: 'Only the executor can see to that: after a crash behind the fence report uncertain, never run again.',
  },
];

const RANK: readonly CheckStatus[] = ['fails', 'not checked', 'cannot be known', 'holds'];

/** The requirements of protocol §15 on an executor, answered by the checks. */
export function checklistOf(
  checks: readonly Check[],
  of: {
    readonly authorises: boolean | null;
    readonly byApprovals: boolean;
    readonly byAttention: boolean;
    readonly byKeys: boolean;
  },
): ChecklistItem[] {
  const needed = [
    ...NEEDED,
    ...(of.byApprovals ? NEEDED_OF_APPROVALS : []),
    ...(of.byAttention ? OF_ATTENTION : []),
    ...(of.byKeys ? OF_KEYS : []),
  ];
  return POINTS.map(({ item, asks, own, ...point }): ChecklistItem => {
    const further = [
      ...(of.byApprovals ? (point.approvals ?? []) : []),
      ...(of.byAttention ? (point.attention ?? []) : []),
      ...(of.byKeys ? (point.keys ?? []) : []),
    ];
    const codes = [...point.codes, ...further];
    if (own !== undefined) return { item, asks, status: 'cannot be known', says: own, codes };
    const about = checks.filter(({ code }) => codes.includes(code));
    const missing = codes.filter(
      (code) => needed.includes(code) && !about.some((check) => check.code === code),
    );
    const worst =
      RANK.find((status) => about.some((check) => check.status === status)) ?? 'not checked';
    if (item === 3 && of.authorises === false && worst !== 'fails') {
      return { item, asks, status: 'fails', says: 'The decision does not authorise.', codes };
    }
    if (worst === 'holds' && missing.length > 0) {
      const says = 'What this document lacks was not checked.';
      return { item, asks, status: 'not checked', says, codes: missing };
    }
    const open = [...new Set(about.filter(({ status }) => status === worst))];
    const says =
      worst === 'holds' ? 'All of it holds.' : (open[0]?.says ?? 'Not in this document.');
    return { item, asks, status: worst, says, codes: worst === 'holds' ? codes : codesOf(open) };
  });
}

function codesOf(checks: readonly Check[]): CheckCode[] {
  return [...new Set(checks.map(({ code }) => code))];
}

/** Unless these hold, an executor must not act. */
const NEEDED: readonly CheckCode[] = [
  'request_digest',
  'request_bound',
  'request_execution',
  'expected_tenant',
  'expected_audience',
  'expected_binding',
  'record_signature',
  'material_payload',
  'receipt_candidate',
  'claim_receipt',
  'claim_binding',
  'admission_claim',
  'expected_identity',
  'expected_nonce',
  'anchor_proof',
  'anchor_store',
  'receipt_times',
  'claim_times',
  'admission_times',
];

/** These too, where several people decide. */
const NEEDED_OF_APPROVALS: readonly CheckCode[] = [
  'approval_numbers',
  'approval_policy',
  'approval_candidate',
  'approval_people',
  'approval_membership',
  'approval_seats',
  'approval_times',
  'approval_live',
];
