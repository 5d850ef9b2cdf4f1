/**
 * Every code a refusal can carry (protocol §6.2).
 *
 * Codes that nothing can cause are left out (R32): the record schema answers before `candidate_required`, `invalid_nonce`,
 * `purpose_binding_mismatch`, `execution_profile_required` and `unsupported_renderer`; R5 leaves no trigger for
 * `idempotency_changed`; R18 replaces the recovery storage that raised `namespace_missing`, `recovery_fence_conflict`,
 * `recovery_record_invalid`, `namespace_recovery_required`, `independent_recovery_required`, `independent_anchor_required`
 * and `namespace_retired` with 503. R16 gives a record its place in the ledger, and the ledger its anchor, after the
 * answer: no caller is refused `ledger_exhausted` or `anchor_*`, operators meet these in incidents, fences, deliveries and
 * the log. A process whose schema workers do not start does not serve, which leaves no trigger for
 * `schema_worker_configuration`. test/e2e/codes shows how each of the others is reached.
 */

/** The only error statuses the interface declares (R4). */
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 422 | 429 | 503;

/**
 * May a program repeat a refused call (protocol §6.2)? `never`: the same call is refused again. `same`: yes, with the same
 * key and bytes, after a growing pause. `after`: as `same`, and not within the first second. `person`: an operator must act
 * first.
 */
export type ErrorRetry = 'never' | 'same' | 'after' | 'person';

export interface ErrorEntry {
  /** One status, or several of which the first is the usual one. */
  readonly status: ErrorStatus | readonly [ErrorStatus, ...ErrorStatus[]];
  readonly retry: ErrorRetry;
  /** The event, in a few plain words. */
  readonly title: string;
  /** The remedy; shown as `detail` and on the page behind `type`. */
  readonly advice: string;
}

/** Without `retry` a refusal is final. */
type Text = readonly [title: string, advice: string, retry?: ErrorRetry];

function group<const Code extends string>(
  status: ErrorEntry['status'],
  texts: Readonly<Record<Code, Text>>,
): Record<Code, ErrorEntry> {
  const entries = Object.entries<Text>(texts).map(
    ([code, [title, advice, retry = 'never']]): [string, ErrorEntry] => [
      code,
      { status, retry, title, advice },
    ],
  );
  return Object.fromEntries(entries) as Record<Code, ErrorEntry>;
}

const invalidInput = group(400, {
  invalid_json: [
    'The body is not acceptable JSON',
    'Send one JSON value in strict UTF-8, without a byte-order mark, duplicate keys, comments or numbers that lose precision.',
  ],
  json_required: [
    'The body must be JSON',
    'Send a body with the header Content-Type: application/json.',
  ],
  unsupported_encoding: [
    'The body is compressed',
    'Send the body as it is; leave Content-Encoding out.',
  ],
  utf8_required: [
    'The body is not declared as UTF-8',
    'Leave the charset out of Content-Type or set it to utf-8.',
  ],
  idempotency_key_required: [
    'A usable Idempotency-Key is missing',
    'Send the header Idempotency-Key with 1 to 160 visible ASCII characters, one fresh key per intended effect.',
  ],
  invalid_path_parameter: [
    'A part of the path is not usable',
    'Use an identifier of 1 to 160 characters out of letters, digits and _ . : @ / -, percent-encoded where the path needs it.',
  ],
  invalid_offset: [
    'The page position is not a whole number in range',
    'Use offset from 0 to 100000, or after from 0 to 99999999, in decimal digits.',
  ],
  invalid_state: [
    'The state filter is unknown',
    'Use pending, confirmed, cancelled, expired or superseded; leave it empty for no filter.',
  ],
  invalid_EmptyInput: ['The body must be an empty object', 'Send exactly {} as the body.'],
  invalid_BundleRegistration: [
    'The bundle registration does not fit its schema',
    'Compare the body with BundleRegistration in the API description; unknown members are refused.',
  ],
  invalid_RequestInput: [
    'The request does not fit its schema',
    'Compare the body with RequestInput in the API description; purpose, profiles, execution and bundle must fit together.',
  ],
  invalid_DecisionProposal: [
    'The proposal does not fit its schema',
    'Send exactly response and decision, as DecisionProposal says.',
  ],
  invalid_Confirmation: [
    'The confirmation does not fit its schema',
    'Send exactly candidate_id and candidate_digest of the candidate that is to be confirmed.',
  ],
  invalid_ClaimInput: [
    'The claim does not fit its schema',
    'Send exactly execution_identity and execution_binding_digest.',
  ],
  invalid_AdmissionInput: [
    'The admission does not fit its schema',
    'Send exactly claim_id, execution_identity and a fresh nonce of 16 to 160 characters out of letters, digits, _ and -.',
  ],
  invalid_ExecutionOutcome: [
    'The outcome does not fit its schema',
    'Send exactly execution_identity, status and details.',
  ],
  purpose_decision_mismatch: [
    'The decision does not fit the purpose of the request',
    'Use answer, approve or reject for a review; authorise or refuse for an execution.',
  ],
  invalid_execution_limits: [
    'The execution time limits cannot be used',
    'Set valid_until in the future and execution_seconds within the limit of the route.',
  ],
  schema_complexity: [
    'The response schema is too large or too deep',
    'Stay within 9999 syntax nodes, 31 levels and 10000 steps of expanded references.',
  ],
  unsupported_schema_reference: [
    'The response schema uses a kind of reference that is not supported',
    'Remove $id, $dynamicRef, $recursiveRef and $async; refer with $ref inside the document.',
  ],
  remote_schema_reference: [
    'The response schema refers outside itself',
    'Let every $ref start with #/ and put what it refers to under $defs.',
  ],
  unsupported_schema_keyword: [
    'The response schema uses a keyword that is not supported',
    'Remove pattern, patternProperties and format.',
  ],
  invalid_response_schema: [
    'The response schema is not valid',
    'Use JSON Schema 2020-12 with known keywords only, and references that lead to a schema in the same document.',
  ],
  schema_reference_cycle: [
    'The response schema refers to itself without end',
    'Break the cycle, or let it pass through properties or items.',
  ],
  response_complexity: [
    'The response is too deep or too costly to check',
    'Send a smaller response, or ask the producer for a simpler schema.',
  ],
  response_schema_mismatch: [
    'The response does not fit the schema of the request',
    'Correct the response so that it fits the response schema, then propose it again.',
  ],
  schema_validation_timeout: [
    'Checking against the response schema took too long',
    'Simplify the response schema or the response.',
  ],
  schema_resource_limit: [
    'Checking against the response schema took too much memory',
    'Simplify the response schema or the response.',
  ],
  reconciliation_evidence_required: [
    'A reconciliation needs a reason and evidence',
    'Put a non-empty reason and evidence into details.',
  ],
  identity_mismatch: [
    'The path and the body name different principals',
    'Use the same id in the path and in the body.',
  ],
  invalid_principal: [
    'The principal does not fit its schema',
    'Compare the body with PrincipalInput in the API description; unknown members are refused.',
  ],
  invalid_logout_token: [
    'The logout token is not valid',
    'Send a token that the identity provider signed for this client within the last five minutes, once, with the logout event.',
  ],
  invalid_notifications: [
    'The choice of notifications is not valid',
    'Correct the member that the detail names (docs/pages.md, “Notifications”).',
  ],
  invalid_human: [
    'A human is configured without a usable identity',
    'Give oidc_subject and oidc_issuer, the latter exactly as OIDC_ISSUER is configured, and no token.',
  ],
  invalid_credential: [
    'The token is not usable as a credential',
    'Use 32 random bytes or more, in hex or in base64url without padding, such as `openssl rand -hex 32` prints.',
  ],
  webhook_destination_rejected: [
    'The webhook address is not allowed',
    'Use an https address on port 443 without user information or fragment, on a host that the operator has allowed.',
  ],
  verified_email_required: [
    'The e-mail address is not verified or not usable',
    'Give one plain address, such as ruth@example.org, together with email_verified: true, or leave both out.',
  ],
  publisher_and_owner_required: [
    'The producer lacks its publisher or owner',
    'Name an existing publisher and the owner (a human) in config.',
  ],
  invalid_route: [
    'The route does not fit its schema',
    'Compare the body with RouteInput in the API description; unknown members are refused.',
  ],
  invalid_route_limits: [
    'A limit of the route is out of range',
    'Set every limit to a whole number from 1 to its default.',
  ],
  separation_of_duties_required: [
    'A production route must separate duties',
    'Set separation_of_duties to true.',
  ],
});

/** Raised by the local bootstrap command (protocol §8.1), never sent. */
const local = group(400, {
  invalid_bootstrap: [
    'The bootstrap token is too weak',
    'Use at least 32 random bytes as unpadded base64url or hex, 43 to 200 characters.',
  ],
});

const unauthenticated = group(401, {
  unauthenticated: [
    'Authentication is required',
    'Send a valid bearer token, or sign in again; a principal that was disabled cannot do either.',
  ],
  invalid_login: [
    'The sign-in attempt is unknown or over',
    'Start signing in again from the beginning, in one browser tab.',
  ],
  login_session_changed: ['The session changed while signing in', 'Start signing in again.'],
  invalid_identity: [
    'The identity provider sent an unusable identity',
    'Sign in again; if it stays so, ask the operator to check the identity provider.',
  ],
  fresh_login_required: [
    'This route wants a fresh login before a confirmation',
    'Sign in once more and confirm again: the frozen candidate stays as it is. The operator of the service says how fresh and how strong the login has to be.',
  ],
});

const notPermitted = group(403, {
  forbidden: [
    'This caller may not do that',
    'Use the principal that owns the request, or ask its owner or the operator.',
  ],
  producer_required: ['Only a producer may do that', 'Use the credential of a producer.'],
  publisher_required: [
    'Only a publisher may do that',
    'Use the credential of a publisher, or ask the operator to bind a publisher to you.',
  ],
  human_required: [
    'Only a person may do that',
    'Sign in as a human; a bearer token cannot stand in for one.',
  ],
  operator_required: ['Only an operator may do that', 'Use the credential of an operator.'],
  csrf: [
    'The call lacks its proof against forgery',
    'Send Origin of this service and X-CSRF-Token of the session (GET /auth/session).',
  ],
  route_not_authorised: [
    'This caller may not use that route',
    'Ask the operator to allow the caller on the route and the route to the caller.',
  ],
  separation_of_duties: [
    'Who asked for something or configured it does not decide it',
    'Let another reviewer of the route decide. You are the requester or the owner, or you were the last to set something of the route, its reviewers, its producer or that producer’s token; another operator can set that anew.',
  ],
  operator_reconciliation_required: [
    'Only an operator may declare an execution abandoned',
    'Report another status, or ask an operator to reconcile.',
  ],
  directory_identity_unavailable: [
    'The signed-in person is not in the directory',
    'Ask the operator to configure this identity as an enabled human, once.',
  ],
});

const missing = group(404, {
  not_found: [
    'Nothing there, or not for this caller',
    'Check the address and the credential; what a caller may not see answers the same as what does not exist.',
  ],
});

const conflict = group(409, {
  idempotency_conflict: [
    'The Idempotency-Key was used with another body',
    'Use a fresh key for another effect, or repeat the first body to get its answer.',
  ],
  identity_conflict: [
    'That identity is already in use',
    'Choose a token, or an execution_identity, that was never used before.',
  ],
  material_integrity_mismatch: [
    'The stored request does not match its digests',
    'Do not rely on it. Tell the operator and create the request anew.',
  ],
  evidence_incomplete: [
    'The ledger’s tree does not hold all of the request yet',
    'Ask again after the seconds of Retry-After. If it stays so, nothing is being anchored: tell the operator.',
    'after',
  ],
  bundle_integrity_mismatch: [
    'The stored app does not match its binding',
    'Use the native form. Tell the operator and register the bundle anew.',
  ],
  request_not_pending: [
    'The request is no longer open for decision',
    'Read the request for its state; create or supersede if a decision is still needed.',
  ],
  reviewer_ineligible: [
    'This reviewer may not decide on the request now',
    'Ask the operator to check the reviewers of the route; a request of an older route rule must be superseded.',
  ],
  review_assigned: [
    'Another reviewer holds the assignment',
    'Wait until it lapses; it is advisory and does not block proposing or confirming.',
  ],
  candidate_changed: [
    'That is not your current candidate',
    'Propose the response again, compare it, and confirm the new candidate.',
  ],
  requester_identity_unavailable: [
    'The requester is no enabled human with a certain identity',
    'Ask the operator to check the owner of the producer.',
  ],
  occurrence_unavailable: [
    'The action occurrence is taken or cannot be referred to',
    'Use a new action_occurrence_id; let recovery_of name a consumed occurrence of your own.',
  ],
  occurrence_changed: [
    'A replacement must keep the action occurrence',
    'Use the action_occurrence_id of the replaced request.',
  ],
  occurrence_consumed: [
    'The action occurrence is already consumed',
    'Do not execute again. For a new attempt create a request with a new occurrence.',
  ],
  purpose_immutable: [
    'A replacement must keep the purpose',
    'Use the purpose of the replaced request, or create a separate request.',
  ],
  execution_purpose_required: [
    'The request does not authorise an execution',
    'Use a request with the purpose authorise_execution.',
  ],
  authority_revoked: [
    'There is no authority to execute',
    'Do not execute. The request was not authorised, or its authority was taken back.',
  ],
  pending_anchor: [
    'The decision is not anchored yet',
    'Do not execute yet. Wait for grant_state available, then claim again.',
  ],
  grant_expired: [
    'The authority has run out',
    'Do not execute. Ask for a new decision by a new request.',
  ],
  grant_unavailable: [
    'The authority cannot be used for that now',
    'Read the request: it is claimed already, or not claimed yet.',
  ],
  execution_binding_changed: [
    'The claimed binding is not the one that was decided',
    'Do not execute. Compute the digest over execution exactly as it is in the request.',
  ],
  claim_unavailable: [
    'There is no such open claim',
    'Use the id and execution_identity of the claim, before its outcome is recorded.',
  ],
  nonce_reused: ['The nonce was used before', 'Ask again with a fresh random nonce.'],
  outcome_conflict: [
    'Another outcome is already recorded',
    'Keep the recorded outcome, or ask an operator to reconcile with evidence.',
  ],
  hitl_review_only: [
    'This endpoint serves reviews only',
    'Read an execution request under /v2/requests.',
  ],
  principal_kind_immutable: [
    'The kind of a principal never changes',
    'Disable this principal and configure a new one.',
  ],
  human_identity_immutable: [
    'The identity of a human never changes',
    'Disable this principal and configure a new one for the other identity.',
  ],
});

/** Of a stored request that belongs to a retired revision; on input the schema answers before (protocol §6.2). */
const retired = group(409, {
  unsupported_revision: [
    'That protocol revision is not supported',
    'Use a revision that /.well-known/proto lists.',
  ],
  agent_ui_profile_required: [
    'A bound app needs its profile',
    'Select proto.agent-ui with the value 2 together with bundle_id.',
  ],
  namespace_retired: [
    'The authority namespace was retired by a recovery',
    'Do not execute. Create the request anew.',
  ],
});

/** 422 on input, 409 when a stored request belongs to a retired revision (protocol §6.2). */
const unsupportedByRevision = group([422, 409], {
  unsupported_profile: [
    'A profile is not supported',
    'Use only the profiles and versions that /.well-known/proto lists.',
  ],
});

const unsupported = group(422, {
  route_profile_required: [
    'The route requires a profile that is not selected',
    'Select every profile that the route requires.',
  ],
  unsupported_approval_mode: [
    'The route does not allow that execution mode',
    'Use a mode that the route allows, or another route.',
  ],
  unsupported_execution_provenance: [
    'The provenance of the execution is not supported',
    'Use the provenance profile proto.execution, version 1-draft.1.',
  ],
});

const gone = group(410, {
  material_deleted: [
    'The private material was deleted',
    'Nothing brings it back; the signed records stay available in the export.',
  ],
  bundle_deleted: [
    'The app was deleted',
    'Use the native form, or register the bundle anew for new requests.',
  ],
  idempotent_result_expired: [
    'The stored answer for that key is gone',
    'The effect happened; read the current state instead of repeating the call.',
  ],
});

const tooLarge = group(413, {
  body_too_large: [
    'The body is too large',
    'Stay below the body limit that the API description gives for this operation, 500,000 JSON values and 100,000 members of one object.',
  ],
  bundle_too_large: ['The app is too large', 'Keep html within 5 MiB.'],
  payload_too_large: ['The payload is too large', 'Keep it within payload_bytes of the route.'],
  document_too_large: [
    'The review document is too large',
    'Keep it within payload_bytes of the route and 10485760 characters.',
  ],
  schema_too_large: [
    'The response schema is too large',
    'Keep it within response_bytes of the route.',
  ],
  metadata_too_large: ['The metadata is too large', 'Keep it within response_bytes of the route.'],
  provenance_too_large: [
    'The provenance references are too large',
    'Keep them within response_bytes of the route.',
  ],
  response_too_large: [
    'The response is too large',
    'Keep it within response_bytes of the request.',
  ],
  app_snapshot_too_large: [
    'The payload is too large for the app',
    'Use the native form; it shows the whole payload.',
  ],
  schema_validation_too_large: [
    'Schema and response together are too large to check',
    'Shorten the response or the schema.',
  ],
});

const quota = group(429, {
  rate_limited: [
    'Too many calls',
    'Wait for the seconds that Retry-After gives, then go on.',
    'after',
  ],
  daily_quota: [
    'The requests of the day are used up',
    'Go on after midnight UTC, or ask the operator for a higher quota.',
  ],
  outstanding_quota: [
    'Too many requests are still open',
    'Wait for decisions, or cancel requests that are no longer needed.',
  ],
  creation_rate: [
    'Requests are created too fast',
    'Slow down and try again in some seconds.',
    'after',
  ],
  retained_quota: [
    'The store for private material is full',
    'Discard material that is no longer needed, or wait for its deletion.',
  ],
  bundle_daily_quota: [
    'The bundles of the day are used up',
    'Go on after midnight UTC; bundles can be used by many requests.',
  ],
  bundle_rate: ['Bundles are registered too fast', 'Slow down and try again in a minute.', 'after'],
  proposal_revision_limit: [
    'No more candidates for this request',
    'Confirm the current candidate or let another reviewer decide.',
  ],
  admission_check_limit: [
    'No more admissions for this claim',
    'Report an outcome; a claim is admitted 64 times at most.',
  ],
  reminder_limit: [
    'A reminder was sent within the last day',
    'Wait until a day has passed; superseding does not shorten the wait.',
  ],
});

const unavailable = group(503, {
  service_unavailable: [
    'The service cannot answer safely now',
    'Repeat the call with the same Idempotency-Key after a while; nothing is assumed to be allowed.',
    'same',
  ],
  identity_uncertain: [
    'The identity of the caller is not certain now',
    'Ask the operator to confirm the identity in the directory.',
    'person',
  ],
  requester_identity_uncertain: [
    'The identity of the requester is not certain now',
    'Ask the operator to confirm the identity in the directory.',
    'person',
  ],
  admission_fenced: [
    'Execution is fenced for this tenant',
    'Do not execute. The operator must look at the incidents and recover the tenant.',
    'person',
  ],
  schema_validation_busy: ['Too many checks are waiting', 'Try again in some seconds.', 'same'],
  schema_validation_unavailable: [
    'The schema check is not running',
    'Try again in some seconds; if it stays so, tell the operator.',
    'same',
  ],
});

/** Of approvals (protocol §18); the API description of the interface does not have them. */
const ofApprovals = {
  ...group(400, {
    invalid_policy: [
      'The policy of the route is not valid',
      'Compare it with RoutePolicy and the rules beside it; unknown members are refused.',
    ],
    invalid_membership: [
      'The membership is not valid',
      'Compare it with MembershipInput; only people have groups, and a person is the same as one other at most.',
    ],
    invalid_ApprovalInput: [
      'The approval does not fit its schema',
      'Compare the body with ApprovalInput; unknown members are refused.',
    ],
    invalid_OfferInput: [
      'The call for an offer does not fit its schema',
      'Compare the body with OfferInput; unknown members are refused.',
    ],
    acknowledgement_unresolved: [
      'A value that has to be typed is not in the payload',
      'Send a payload with a text, a number or a boolean at every pointer that the policy of the route names.',
    ],
  }),
  ...group(409, {
    approval_required: [
      'Several people decide this request',
      'Approve the frozen candidate instead of confirming it.',
    ],
    quorum_unsatisfiable: [
      'Not enough people could approve this',
      'Ask the operator: the groups of the route’s policy have too few people who may decide for this requester.',
    ],
    approval_exists: [
      'You have voted on this request already',
      'Withdraw that vote first; a person has one vote on a request.',
    ],
    approval_unavailable: [
      'There is no approval of yours to withdraw',
      'Read the request: your vote has ended, or it is too late to take it back.',
    ],
    stage_not_open: [
      'Your seat is not in the stage that is open',
      'Wait until the stage before is complete; stages are decided one after another.',
    ],
    offer_expired: [
      'The offer is unknown, used, too old or no longer true',
      'Ask for a new offer; one is good for 300 seconds and for one use.',
    ],
    attention_required: [
      'The policy asks for more attention first',
      'Read the material and the answer, wait as long as Retry-After says, and type what is asked.',
    ],
  }),
  ...group(429, {
    reviewer_rate: [
      'You have approved as many requests as the route allows',
      'Wait as long as Retry-After says; a no is possible at any time.',
      'after',
    ],
  }),
};

/** Of keys of people (protocol §19): no description of the interface has them. */
const ofKeys = {
  ...group(400, {
    invalid_EnrolmentInput: [
      'The enrolment does not fit its schema',
      'Compare the body with EnrolmentInput; unknown members are refused.',
    ],
    invalid_CountersignInput: [
      'The countersignature does not fit its schema',
      'Compare the body with CountersignInput; a bearer token sends no signature.',
    ],
    invalid_EndCredential: [
      'The end of the key does not fit its schema',
      'Compare the body with EndCredential; compromised_since is not in the future, and only of a key that was compromised.',
    ],
    invalid_assertion: [
      'The signature of the key does not verify',
      'Begin again with a new offer, on the page of the service itself, and let the device verify you.',
    ],
  }),
  ...group(403, {
    human_key_required: [
      'An active key of yours has to sign',
      'Use an active key; add one first where you have none.',
    ],
    second_person_required: [
      'Another person has to do that',
      'Ask another person: an operator vouches for a key, and another custodian lifts a hold. A bearer token vouches for the first key of a tenant only.',
    ],
  }),
  ...group(409, {
    credential_unavailable: [
      'The key is not in the state for that',
      'Read the keys: it has ended or counts already, or its person has as many keys as a person may have.',
    ],
  }),
};

/** Of legal holds (protocol §20): no description of the interface has them. */
const ofHolds = {
  ...group(400, {
    invalid_LegalHoldInput: [
      'The hold does not fit its schema, or would hold less than before',
      'Compare the body with LegalHoldInput. A hold that is in force only grows, and ends within five years.',
    ],
    invalid_LiftInput: [
      'The lift does not fit its schema',
      'Compare the body with LiftInput; unknown members are refused.',
    ],
  }),
  ...group(403, {
    custodian_required: [
      'Only a custodian may do that',
      'Ask a person in the group proto.custodians; two operators put a person there.',
    ],
  }),
  ...group(409, {
    legal_hold: [
      'A legal hold keeps the request',
      'Wait until the hold ends; the request is deleted then, if that is due.',
    ],
  }),
};

const catalogue = {
  ...invalidInput,
  ...local,
  ...unauthenticated,
  ...notPermitted,
  ...missing,
  ...conflict,
  ...retired,
  ...unsupportedByRevision,
  ...unsupported,
  ...gone,
  ...tooLarge,
  ...quota,
  ...unavailable,
  ...ofApprovals,
  ...ofKeys,
  ...ofHolds,
};

export type ErrorCode = keyof typeof catalogue;

export const ERRORS: Readonly<Record<ErrorCode, ErrorEntry>> = catalogue;

export const ERROR_CODES: readonly ErrorCode[] = Object.keys(catalogue) as ErrorCode[];

/** The codes that an HTTP answer may carry. */
export const SENT_CODES: readonly ErrorCode[] = ERROR_CODES.filter(
  (code) =>
    ![local, ofApprovals, ofKeys, ofHolds].some((elsewhere) => Object.hasOwn(elsewhere, code)),
);

/** Those that operations of approvals answer with beside them (protocol §18.11). */
export const APPROVAL_CODES = [
  'invalid_policy',
  'invalid_membership',
  'invalid_ApprovalInput',
  'invalid_OfferInput',
  'acknowledgement_unresolved',
  'approval_required',
  'quorum_unsatisfiable',
  'approval_exists',
  'approval_unavailable',
  'stage_not_open',
  'offer_expired',
  'attention_required',
  'reviewer_rate',
] as const satisfies readonly (keyof typeof ofApprovals)[];

/** Those that operations of people's keys answer with beside both (protocol §19.6). */
export const KEY_CODES = Object.keys(ofKeys) as (keyof typeof ofKeys)[];

/** Those that operations of legal holds answer with beside these, and `request.discard` of a held request (protocol §20.7). */
export const HOLD_CODES = [
  'invalid_LegalHoldInput',
  'invalid_LiftInput',
  'custodian_required',
  'second_person_required',
  'legal_hold',
] as const satisfies readonly (keyof typeof ofHolds | keyof typeof ofKeys)[];

/** All statuses a code may be sent with, the usual one first. */
export function statusesOf(code: ErrorCode): readonly ErrorStatus[] {
  const { status } = ERRORS[code];
  return typeof status === 'number' ? [status] : status;
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}
