import { invalidRecordCode, statusesOf } from '../errors.js';
import type { ErrorCode, ErrorStatus } from '../errors.js';
import { CALLER_RULES, isOfId } from '../operations.js';
import type { Operation, OperationName } from '../operations.js';

/** A code with its usual status, or with another one of its statuses. */
type Sent = ErrorCode | readonly [ErrorCode, ErrorStatus];

// The named check sequences of protocol §6.4.
const INT: readonly Sent[] = [
  ['unsupported_revision', 409],
  ['unsupported_profile', 409],
  ['agent_ui_profile_required', 409],
  'material_integrity_mismatch',
];
const ELIG: readonly Sent[] = [
  ...INT,
  'human_required',
  'identity_uncertain',
  'reviewer_ineligible',
  'requester_identity_uncertain',
  'separation_of_duties',
];
const PEND: readonly Sent[] = ['request_not_pending'];
/** What a vote and the offer of its statement are asked before the signature (protocol §18.4, §19.7). */
const VOTE: readonly Sent[] = [
  'fresh_login_required',
  ...ELIG,
  ...PEND,
  'candidate_changed',
  'approval_exists',
  'stage_not_open',
  'proposal_revision_limit',
  'human_key_required',
];
const AUTHORITY: readonly Sent[] = [
  ...ELIG,
  'execution_purpose_required',
  'admission_fenced',
  'authority_revoked',
  'pending_anchor',
  'grant_expired',
  'grant_unavailable',
  ['namespace_retired', 409],
];

/** Protocol §10 on a schema alone. */
const RESPONSE_SCHEMA: readonly Sent[] = [
  'schema_complexity',
  'unsupported_schema_reference',
  'remote_schema_reference',
  'unsupported_schema_keyword',
  'invalid_response_schema',
  'schema_reference_cycle',
  'schema_validation_timeout',
  'schema_resource_limit',
  'schema_validation_too_large',
  'schema_validation_busy',
  'schema_validation_unavailable',
];

/** The refusals that `request.create` and `request.supersede` share (protocol §7 request.create). */
const CREATION: readonly Sent[] = [
  'not_found',
  'route_not_authorised',
  'daily_quota',
  'outstanding_quota',
  'creation_rate',
  'retained_quota',
  'payload_too_large',
  'document_too_large',
  'schema_too_large',
  'metadata_too_large',
  'provenance_too_large',
  ...RESPONSE_SCHEMA,
  'unsupported_profile',
  'route_profile_required',
  'requester_identity_unavailable',
  'unsupported_approval_mode',
  'invalid_execution_limits',
  'unsupported_execution_provenance',
  'occurrence_unavailable',
];

const OUTCOME: readonly Sent[] = [...INT, 'claim_unavailable'];
const BUNDLE: readonly Sent[] = ['bundle_deleted', 'bundle_integrity_mismatch'];

/** The refusals of an operation itself (protocol §7); those that follow from its row in the table are added below. */
const OWN: Readonly<Record<OperationName, readonly Sent[]>> = {
  'gateway.discovery': [],
  'gateway.trust': [],
  'request.register-bundle': [
    'bundle_too_large',
    'bundle_daily_quota',
    'bundle_rate',
    'retained_quota',
  ],
  'request.create': CREATION,
  'request.list': [],
  'request.status': [],
  'request.material': [...INT, 'material_deleted'],
  'request.app': [...INT, 'material_deleted', ...BUNDLE, 'app_snapshot_too_large'],
  'review.assign': [...ELIG, ...PEND, 'review_assigned'],
  'review.propose': [
    ...ELIG,
    ...PEND,
    ...RESPONSE_SCHEMA,
    'purpose_decision_mismatch',
    'response_too_large',
    'response_complexity',
    'response_schema_mismatch',
    'proposal_revision_limit',
  ],
  'review.confirm': ['fresh_login_required', ...ELIG, ...PEND, 'candidate_changed'],
  'request.cancel': [],
  'request.revoke': [],
  'notifier.remind': [...INT, ...PEND, 'reminder_limit'],
  'request.discard': [],
  'request.supersede': [
    ...CREATION,
    ...INT,
    'forbidden',
    'purpose_immutable',
    'occurrence_changed',
    'occurrence_consumed',
  ],
  'execution-authority.claim': [
    ...AUTHORITY,
    'execution_binding_changed',
    'occurrence_consumed',
    'identity_conflict',
  ],
  'execution-authority.admit': [
    ...AUTHORITY,
    'claim_unavailable',
    'admission_check_limit',
    'nonce_reused',
  ],
  'execution-authority.report-outcome': [
    ...OUTCOME,
    'outcome_conflict',
    'operator_reconciliation_required',
  ],
  'execution-authority.reconcile': [...OUTCOME, 'reconciliation_evidence_required'],
  'ledger.export': [...INT, ...BUNDLE],
  'ledger.evidence': [...INT, ...BUNDLE, 'evidence_incomplete'],
  'ledger.events': [],
  'request.hitl': ['hitl_review_only', 'material_integrity_mismatch'],
  'request.hitl-poll': ['hitl_review_only', 'material_integrity_mismatch'],
  'request.configure-principal': [
    'identity_mismatch',
    'invalid_human',
    'invalid_credential',
    'webhook_destination_rejected',
    'verified_email_required',
    'principal_kind_immutable',
    'human_identity_immutable',
    'publisher_and_owner_required',
    'identity_conflict',
  ],
  'request.configure-route': ['separation_of_duties_required', 'invalid_route_limits'],
  'request.configure-policy': ['not_found', 'separation_of_duties_required', 'identity_uncertain'],
  'request.policy': ['not_found'],
  'request.configure-membership': ['not_found', 'identity_uncertain'],
  'review.approve': [...VOTE, 'offer_expired', 'invalid_assertion', 'reviewer_rate'],
  'review.offer-approval': [...VOTE, 'attention_required'],
  'review.withdraw-approval': [
    ...INT,
    'identity_uncertain',
    'separation_of_duties',
    ...PEND,
    'approval_unavailable',
  ],
  'review.approvals': [...INT],
  'review.todo': [],
  'request.offer-enrolment': ['fresh_login_required', 'identity_uncertain'],
  'request.enrol': [
    'fresh_login_required',
    'identity_uncertain',
    'offer_expired',
    'invalid_assertion',
    'identity_conflict',
    'human_key_required',
    'credential_unavailable',
  ],
  'request.credentials': ['identity_uncertain'],
  'request.countersign': [
    'not_found',
    'identity_uncertain',
    'credential_unavailable',
    'second_person_required',
    'human_key_required',
    'invalid_assertion',
  ],
  'request.end-credential': ['not_found', 'identity_uncertain', 'credential_unavailable'],
  'request.set-hold': ['not_found', 'identity_conflict', 'identity_uncertain'],
  'request.lift-hold': ['not_found', 'second_person_required', 'identity_uncertain'],
  'ledger.held-export': [...INT, ...BUNDLE],
  'ledger.entries': [],
  'ledger.metrics': [],
  'gateway.metrics-text': [],
};

/** The refusals of the gateway (protocol §6.1) that follow from the operation's row. */
function onTheWay(operation: Operation): Sent[] {
  // A message that cannot be parsed as a request is answered before its operation is known.
  const codes: Sent[] = ['invalid_json'];
  if (operation.security === 'none') return codes;
  codes.push('unauthenticated', 'rate_limited', 'service_unavailable');
  if (operation.method !== 'GET') codes.push('csrf');
  if (operation.callers !== 'anyone') codes.push(CALLER_RULES[operation.callers].refusal);
  // For monitors, in place of other callers' refusals (R42).
  codes.push('operator_required');
  if (isOfId(operation)) codes.push('not_found');
  else if (operation.idOf !== null) codes.push('invalid_path_parameter');
  codes.push(...operation.query.flatMap(({ refusal }) => refusal ?? []));
  if (operation.key) {
    codes.push('idempotency_key_required', 'idempotency_conflict', 'idempotent_result_expired');
  }
  if (operation.input !== null) {
    codes.push('json_required', 'unsupported_encoding', 'utf8_required', 'body_too_large');
    codes.push(invalidRecordCode(operation.input));
  }
  return codes;
}

/** The codes that an operation answers with under a status, each once. */
export function refusalCodes(operation: Operation, status: ErrorStatus): ErrorCode[] {
  const codes = [...onTheWay(operation), ...OWN[operation.name]].flatMap((sent) => {
    const [code, sentWith] = typeof sent === 'string' ? [sent, statusesOf(sent)[0]] : sent;
    return sentWith === status ? [code] : [];
  });
  return [...new Set(codes)];
}
