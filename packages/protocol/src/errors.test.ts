import { DECLARED_ERRORS } from './openapi/index.js';
import {
  ERRORS,
  ERROR_CODES,
  Refusal,
  invalidRecordCode,
  isErrorCode,
  statusesOf,
} from './errors.js';
import type { ErrorCode } from './errors.js';
import { OPERATIONS } from './operations.js';
import { ANCHOR_ERRORS } from './records/index.js';

/**
 * `fresh_login_required` is an addition of ours (docs/decisions): step-up at a confirmation. So is `invalid_logout_token`,
 * the answer to an identity provider, `invalid_notifications`, of a person's own choice of mails, and `evidence_incomplete`, of
 * an extension operation (protocol §7.1).
 * Those of approvals are of protocol §18, those of keys of people of §19.
 * Protocol §6.2 by status, with the codes of R4, R7 and §10 and without those that R32 strikes.
 */
const expected: Record<number, string> = {
  400: `invalid_json json_required unsupported_encoding utf8_required idempotency_key_required
    invalid_path_parameter invalid_offset invalid_state invalid_EmptyInput
    invalid_BundleRegistration invalid_RequestInput invalid_DecisionProposal invalid_Confirmation
    invalid_ClaimInput invalid_AdmissionInput invalid_ExecutionOutcome purpose_decision_mismatch
    invalid_execution_limits schema_complexity unsupported_schema_reference
    remote_schema_reference unsupported_schema_keyword invalid_response_schema
    schema_reference_cycle response_complexity response_schema_mismatch schema_validation_timeout
    schema_resource_limit reconciliation_evidence_required identity_mismatch invalid_principal
    invalid_human invalid_credential webhook_destination_rejected verified_email_required
    publisher_and_owner_required invalid_route invalid_route_limits separation_of_duties_required
    invalid_bootstrap invalid_logout_token invalid_notifications
    invalid_policy invalid_membership invalid_ApprovalInput invalid_EnrolmentInput invalid_OfferInput
    invalid_CountersignInput invalid_EndCredential invalid_assertion invalid_LegalHoldInput
    invalid_LiftInput acknowledgement_unresolved`,
  401: 'unauthenticated invalid_login login_session_changed invalid_identity fresh_login_required',
  403: `forbidden producer_required publisher_required human_required operator_required csrf
    route_not_authorised separation_of_duties operator_reconciliation_required
    directory_identity_unavailable human_key_required second_person_required
    custodian_required`,
  404: 'not_found',
  409: `idempotency_conflict identity_conflict unsupported_revision unsupported_profile
    agent_ui_profile_required material_integrity_mismatch bundle_integrity_mismatch
    request_not_pending reviewer_ineligible review_assigned candidate_changed
    requester_identity_unavailable occurrence_unavailable occurrence_changed occurrence_consumed
    purpose_immutable execution_purpose_required authority_revoked pending_anchor grant_expired
    grant_unavailable execution_binding_changed claim_unavailable nonce_reused outcome_conflict
    hitl_review_only namespace_retired principal_kind_immutable human_identity_immutable
    evidence_incomplete approval_required quorum_unsatisfiable approval_exists approval_unavailable
    stage_not_open credential_unavailable offer_expired legal_hold
    attention_required`,
  410: 'material_deleted bundle_deleted idempotent_result_expired',
  413: `body_too_large bundle_too_large payload_too_large document_too_large schema_too_large
    metadata_too_large provenance_too_large response_too_large app_snapshot_too_large
    schema_validation_too_large`,
  422: `unsupported_profile route_profile_required unsupported_approval_mode
    unsupported_execution_provenance`,
  429: `rate_limited daily_quota outstanding_quota creation_rate retained_quota bundle_daily_quota
    bundle_rate proposal_revision_limit admission_check_limit reminder_limit
    reviewer_rate`,
  503: `service_unavailable identity_uncertain requester_identity_uncertain admission_fenced
    schema_validation_busy schema_validation_unavailable`,
};

describe('the catalogue of errors', () => {
  test.each(Object.entries(expected))('has exactly the codes of status %s', (status, codes) => {
    const catalogued = ERROR_CODES.filter((code) =>
      statusesOf(code).includes(Number(status) as never),
    );
    expect([...catalogued].sort()).toEqual(codes.split(/\s+/).sort());
  });

  it('uses only statuses that the interface declares', () => {
    const declared = Object.keys(DECLARED_ERRORS).map(Number);
    expect(declared).toEqual(Object.keys(expected).map(Number));
    for (const code of ERROR_CODES) {
      for (const status of statusesOf(code)) expect(declared).toContain(status);
    }
  });

  test.each(ERROR_CODES)('%s has a plain title and advice', (code) => {
    const { title, advice } = ERRORS[code];
    expect(title).toMatch(/^[A-Z][^.]{5,80}$/);
    expect(advice).toMatch(/^[A-Z].{15,}\.$/);
  });

  it('lets a program repeat only what time or an operator changes', () => {
    const repeated = (retry: string) =>
      ERROR_CODES.filter((code) => ERRORS[code].retry === retry).sort();
    expect(repeated('same')).toEqual([
      'schema_validation_busy',
      'schema_validation_unavailable',
      'service_unavailable',
    ]);
    expect(repeated('after')).toEqual([
      'bundle_rate',
      'creation_rate',
      'evidence_incomplete',
      'rate_limited',
      'reviewer_rate',
    ]);
    expect(repeated('person')).toEqual([
      'admission_fenced',
      'identity_uncertain',
      'requester_identity_uncertain',
    ]);
    expect(repeated('never')).toHaveLength(ERROR_CODES.length - 11);
  });

  it('titles each code differently', () => {
    expect(new Set(ERROR_CODES.map((code) => ERRORS[code].title)).size).toBe(ERROR_CODES.length);
  });

  it('knows its own codes and no others', () => {
    expect(isErrorCode('not_found')).toBe(true);
    for (const other of ['candidate_required', 'toString', '', null, 404]) {
      expect(isErrorCode(other)).toBe(false);
    }
  });

  it('leaves out codes that no call is refused with, such as errors of the anchor store', () => {
    for (const code of [...ANCHOR_ERRORS, 'ledger_exhausted', 'schema_worker_configuration'])
      expect(isErrorCode(code)).toBe(false);
  });
});

describe('a refusal', () => {
  it('becomes a problem document with the advice as its detail', () => {
    expect(new Refusal('not_found').toProblem('https://review.example', 'trace-1')).toEqual({
      type: 'https://review.example/errors/not_found',
      title: ERRORS.not_found.title,
      status: 404,
      detail: ERRORS.not_found.advice,
      error: 'not_found',
      instance: 'trace-1',
    });
  });

  it('prefers the detail of the thrower and never shows its cause', () => {
    const refusal = new Refusal('invalid_json', { detail: 'Two keys are equal.', cause: 'secret' });
    const problem = refusal.toProblem('', '');
    expect(problem.detail).toBe('Two keys are equal.');
    expect(JSON.stringify(problem)).not.toContain('secret');
    expect(refusal.cause).toBe('secret');
  });

  it('takes the usual status unless another one of the code is given', () => {
    expect(new Refusal('unsupported_profile').status).toBe(422);
    expect(new Refusal('unsupported_profile', { status: 409 }).status).toBe(409);
    expect(() => new Refusal('not_found', { status: 500 })).toThrow(RangeError);
  });

  it('carries the seconds to wait', () => {
    expect(new Refusal('rate_limited', { retryAfter: 7 }).retryAfter).toBe(7);
  });
});

describe('the code of an invalid record', () => {
  const irregular: Record<string, ErrorCode> = {
    PrincipalInput: 'invalid_principal',
    RouteInput: 'invalid_route',
  };
  const inputs = OPERATIONS.flatMap(({ input }) => (input === null ? [] : [input]));

  test.each([...new Set(inputs)])('refuses %s as input', (name) => {
    expect(invalidRecordCode(name)).toBe(irregular[name] ?? `invalid_${name}`);
  });

  it('has one of its own for limits that a route may not set (R29)', () => {
    expect(invalidRecordCode('RouteLimits')).toBe('invalid_route_limits');
  });

  it('calls a stored request damaged and other records our own fault', () => {
    expect(invalidRecordCode('DecisionRequest')).toBe('material_integrity_mismatch');
    expect(invalidRecordCode('RequestStatus')).toBe('service_unavailable');
    expect(invalidRecordCode('constructor')).toBe('service_unavailable');
  });
});
