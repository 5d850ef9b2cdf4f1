// Made by `npm run generate`, of packages/protocol.

/** Every code of a refusal, with the statuses that it comes with. */
export interface ErrorStatuses {
  /** The body is not acceptable JSON. */
  invalid_json: 400;
  /** The body must be JSON. */
  json_required: 400;
  /** The body is compressed. */
  unsupported_encoding: 400;
  /** The body is not declared as UTF-8. */
  utf8_required: 400;
  /** A usable Idempotency-Key is missing. */
  idempotency_key_required: 400;
  /** A part of the path is not usable. */
  invalid_path_parameter: 400;
  /** The page position is not a whole number in range. */
  invalid_offset: 400;
  /** The state filter is unknown. */
  invalid_state: 400;
  /** The body must be an empty object. */
  invalid_EmptyInput: 400;
  /** The bundle registration does not fit its schema. */
  invalid_BundleRegistration: 400;
  /** The request does not fit its schema. */
  invalid_RequestInput: 400;
  /** The proposal does not fit its schema. */
  invalid_DecisionProposal: 400;
  /** The confirmation does not fit its schema. */
  invalid_Confirmation: 400;
  /** The claim does not fit its schema. */
  invalid_ClaimInput: 400;
  /** The admission does not fit its schema. */
  invalid_AdmissionInput: 400;
  /** The outcome does not fit its schema. */
  invalid_ExecutionOutcome: 400;
  /** The decision does not fit the purpose of the request. */
  purpose_decision_mismatch: 400;
  /** The execution time limits cannot be used. */
  invalid_execution_limits: 400;
  /** The response schema is too large or too deep. */
  schema_complexity: 400;
  /** The response schema uses a kind of reference that is not supported. */
  unsupported_schema_reference: 400;
  /** The response schema refers outside itself. */
  remote_schema_reference: 400;
  /** The response schema uses a keyword that is not supported. */
  unsupported_schema_keyword: 400;
  /** The response schema is not valid. */
  invalid_response_schema: 400;
  /** The response schema refers to itself without end. */
  schema_reference_cycle: 400;
  /** The response is too deep or too costly to check. */
  response_complexity: 400;
  /** The response does not fit the schema of the request. */
  response_schema_mismatch: 400;
  /** Checking against the response schema took too long. */
  schema_validation_timeout: 400;
  /** Checking against the response schema took too much memory. */
  schema_resource_limit: 400;
  /** A reconciliation needs a reason and evidence. */
  reconciliation_evidence_required: 400;
  /** The path and the body name different principals. */
  identity_mismatch: 400;
  /** The principal does not fit its schema. */
  invalid_principal: 400;
  /** The logout token is not valid. */
  invalid_logout_token: 400;
  /** The choice of notifications is not valid. */
  invalid_notifications: 400;
  /** A human is configured without a usable identity. */
  invalid_human: 400;
  /** The token is not usable as a credential. */
  invalid_credential: 400;
  /** The webhook address is not allowed. */
  webhook_destination_rejected: 400;
  /** The e-mail address is not verified or not usable. */
  verified_email_required: 400;
  /** The producer lacks its publisher or owner. */
  publisher_and_owner_required: 400;
  /** The route does not fit its schema. */
  invalid_route: 400;
  /** A limit of the route is out of range. */
  invalid_route_limits: 400;
  /** A production route must separate duties. */
  separation_of_duties_required: 400;
  /** Authentication is required. */
  unauthenticated: 401;
  /** The sign-in attempt is unknown or over. */
  invalid_login: 401;
  /** The session changed while signing in. */
  login_session_changed: 401;
  /** The identity provider sent an unusable identity. */
  invalid_identity: 401;
  /** This route wants a fresh login before a confirmation. */
  fresh_login_required: 401;
  /** This caller may not do that. */
  forbidden: 403;
  /** Only a producer may do that. */
  producer_required: 403;
  /** Only a publisher may do that. */
  publisher_required: 403;
  /** Only a person may do that. */
  human_required: 403;
  /** Only an operator may do that. */
  operator_required: 403;
  /** The call lacks its proof against forgery. */
  csrf: 403;
  /** This caller may not use that route. */
  route_not_authorised: 403;
  /** Who asked for something or configured it does not decide it. */
  separation_of_duties: 403;
  /** Only an operator may declare an execution abandoned. */
  operator_reconciliation_required: 403;
  /** The signed-in person is not in the directory. */
  directory_identity_unavailable: 403;
  /** Nothing there, or not for this caller. */
  not_found: 404;
  /** The Idempotency-Key was used with another body. */
  idempotency_conflict: 409;
  /** That identity is already in use. */
  identity_conflict: 409;
  /** The stored request does not match its digests. */
  material_integrity_mismatch: 409;
  /** The ledger’s tree does not hold all of the request yet. */
  evidence_incomplete: 409;
  /** The stored app does not match its binding. */
  bundle_integrity_mismatch: 409;
  /** The request is no longer open for decision. */
  request_not_pending: 409;
  /** This reviewer may not decide on the request now. */
  reviewer_ineligible: 409;
  /** Another reviewer holds the assignment. */
  review_assigned: 409;
  /** That is not your current candidate. */
  candidate_changed: 409;
  /** The requester is no enabled human with a certain identity. */
  requester_identity_unavailable: 409;
  /** The action occurrence is taken or cannot be referred to. */
  occurrence_unavailable: 409;
  /** A replacement must keep the action occurrence. */
  occurrence_changed: 409;
  /** The action occurrence is already consumed. */
  occurrence_consumed: 409;
  /** A replacement must keep the purpose. */
  purpose_immutable: 409;
  /** The request does not authorise an execution. */
  execution_purpose_required: 409;
  /** There is no authority to execute. */
  authority_revoked: 409;
  /** The decision is not anchored yet. */
  pending_anchor: 409;
  /** The authority has run out. */
  grant_expired: 409;
  /** The authority cannot be used for that now. */
  grant_unavailable: 409;
  /** The claimed binding is not the one that was decided. */
  execution_binding_changed: 409;
  /** There is no such open claim. */
  claim_unavailable: 409;
  /** The nonce was used before. */
  nonce_reused: 409;
  /** Another outcome is already recorded. */
  outcome_conflict: 409;
  /** This endpoint serves reviews only. */
  hitl_review_only: 409;
  /** The kind of a principal never changes. */
  principal_kind_immutable: 409;
  /** The identity of a human never changes. */
  human_identity_immutable: 409;
  /** That protocol revision is not supported. */
  unsupported_revision: 409;
  /** A bound app needs its profile. */
  agent_ui_profile_required: 409;
  /** The authority namespace was retired by a recovery. */
  namespace_retired: 409;
  /** A profile is not supported. */
  unsupported_profile: 422 | 409;
  /** The route requires a profile that is not selected. */
  route_profile_required: 422;
  /** The route does not allow that execution mode. */
  unsupported_approval_mode: 422;
  /** The provenance of the execution is not supported. */
  unsupported_execution_provenance: 422;
  /** The private material was deleted. */
  material_deleted: 410;
  /** The app was deleted. */
  bundle_deleted: 410;
  /** The stored answer for that key is gone. */
  idempotent_result_expired: 410;
  /** The body is too large. */
  body_too_large: 413;
  /** The app is too large. */
  bundle_too_large: 413;
  /** The payload is too large. */
  payload_too_large: 413;
  /** The review document is too large. */
  document_too_large: 413;
  /** The response schema is too large. */
  schema_too_large: 413;
  /** The metadata is too large. */
  metadata_too_large: 413;
  /** The provenance references are too large. */
  provenance_too_large: 413;
  /** The response is too large. */
  response_too_large: 413;
  /** The payload is too large for the app. */
  app_snapshot_too_large: 413;
  /** Schema and response together are too large to check. */
  schema_validation_too_large: 413;
  /** Too many calls. */
  rate_limited: 429;
  /** The requests of the day are used up. */
  daily_quota: 429;
  /** Too many requests are still open. */
  outstanding_quota: 429;
  /** Requests are created too fast. */
  creation_rate: 429;
  /** The store for private material is full. */
  retained_quota: 429;
  /** The bundles of the day are used up. */
  bundle_daily_quota: 429;
  /** Bundles are registered too fast. */
  bundle_rate: 429;
  /** No more candidates for this request. */
  proposal_revision_limit: 429;
  /** No more admissions for this claim. */
  admission_check_limit: 429;
  /** A reminder was sent within the last day. */
  reminder_limit: 429;
  /** The service cannot answer safely now. */
  service_unavailable: 503;
  /** The identity of the caller is not certain now. */
  identity_uncertain: 503;
  /** The identity of the requester is not certain now. */
  requester_identity_uncertain: 503;
  /** Execution is fenced for this tenant. */
  admission_fenced: 503;
  /** Too many checks are waiting. */
  schema_validation_busy: 503;
  /** The schema check is not running. */
  schema_validation_unavailable: 503;
}

export type ErrorCode = keyof ErrorStatuses;

/**
 * May a program make a refused call again? `never`; `same`: yes, after a growing pause; `after`: and not within the first
 * second; `person`: an operator must act first.
 */
export type Retry = 'never' | 'same' | 'after' | 'person';

/** All other codes are `never`. */
export const RETRIES = {
  evidence_incomplete: 'after',
  rate_limited: 'after',
  creation_rate: 'after',
  bundle_rate: 'after',
  service_unavailable: 'same',
  identity_uncertain: 'person',
  requester_identity_uncertain: 'person',
  admission_fenced: 'person',
  schema_validation_busy: 'same',
  schema_validation_unavailable: 'same',
} as const satisfies Partial<Record<ErrorCode, Retry>>;
