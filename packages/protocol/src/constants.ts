/** The one revision of this protocol (protocol §1.5). */
export const PROTOCOL_REVISION = '2.0.0-draft.3';

/** Every supported profile with its one version. */
export const SUPPORTED_PROFILES = {
  'proto.execution': '1-draft.1',
  'proto.agent-ui': '2',
} as const;

/**
 * Profiles that a deployment may offer beside them, by the setting `CAPABILITIES`; a request that selects none of them is as
 * if there were none (protocol §18).
 */
export const EXTENSION_PROFILES = {
  'proto.approval': '1-draft.1',
} as const;

/** Of the keys of people (protocol §19), which a deployment may offer with approvals. */
export const KEY_PROFILE = { 'proto.human-key': '1-draft.1' } as const;

/** Of legal holds (protocol §20), which a deployment may offer with approvals. It is no profile: no request selects it. */
export const HOLD_CAPABILITY = { 'proto.legal-hold': '1-draft.1' } as const;

/** The profiles among capabilities, each with its version. */
export function profilesAmong(
  offered: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(offered).filter(([name]) => !Object.hasOwn(HOLD_CAPABILITY, name)),
  );
}

/** The most of each in approvals of several people (protocol §18.2, §18.3). */
export const APPROVAL_LIMITS = {
  /** Of all stages together. */
  seats: 20,
  /** UTF-8 bytes of a policy's canonical text. */
  policy_bytes: 32_768,
  excluded_people: 256,
  /** Of a tenant. */
  groups: 100,
  members_of_a_group: 500,
} as const;

/** A usable `Idempotency-Key`: visible ASCII (protocol §6.3). */
export const IDEMPOTENCY_KEY = /^[!-~]{1,160}$/;

/** The text of an Identifier (protocol §3.1), such as an action occurrence. */
export const IDENTIFIER = /^[a-zA-Z0-9_.:@/-]{1,160}$/;

/** The form of a request's `{id}`; anything else is 404 (protocol §1). */
export const REQUEST_ID = /^[a-f0-9-]{36}$/;

/** Version of the human-in-the-loop protocol behind `request.hitl` and `request.hitl-poll`. */
export const HITL_VERSION = '0.8';

/** Defaults of a route's limits and at once the most that a route may set (protocol §9.1). */
export const DEFAULT_LIMITS = {
  bundle_bytes: 5_242_880,
  payload_bytes: 10_485_760,
  response_bytes: 262_144,
  inline_result_bytes: 2_097_152,
  retained_bytes: 1_073_741_824,
  review_seconds: 86_400,
  grant_seconds: 86_400,
  execution_seconds: 3_600,
  reconciliation_seconds: 604_800,
  audit_seconds: 7_776_000,
} as const;

/** The largest file of evidence that the verifier reads, bytes. */
export const DOCUMENT_BYTES = 134_217_728;

/** The longest review document, in code points, for every route (R27). */
export const REVIEW_DOCUMENT_CHARACTERS = 10_485_760;

/**
 * Default quotas (protocol §9.2); configuration may set others per tenant and route (R20). A bucket starts full with `burst`
 * and refills continuously.
 */
export const DEFAULT_QUOTAS = {
  requestsPerDay: { tenant: 1000, producer: 200, route: 100 },
  outstanding: { tenant: 500, producer: 100 },
  creationRate: {
    tenant: { perMinute: 50, burst: 100 },
    producer: { perMinute: 10, burst: 20 },
  },
  bundlesPerDay: { tenant: 100, publisher: 20 },
  bundleRate: {
    tenant: { perMinute: 10, burst: 20 },
    publisher: { perMinute: 2, burst: 5 },
  },
  /** Per tenant and per publisher, the latter with its largest producer's requests. */
  retainedBundleBytes: 1_073_741_824,
  /** Per request and reviewer (R9). */
  candidates: 32,
  /** Per claim. */
  admissions: 64,
} as const;

/** Retained size of a request = material + canonical request + this (protocol §9.2). */
export function reservedBytes(limits: { readonly response_bytes: number }): number {
  return 6 * limits.response_bytes + 8192;
}

/** Default call rates per minute (protocol R34). */
export const DEFAULT_RATES = {
  /** Per client address: calls whose credential is absent, malformed or unknown. */
  address: 600,
  /** A fuse for all such calls together. */
  unauthenticated: 60_000,
  /** Per tenant and principal, under /v2. */
  principal: 1200,
  /** Per human, on pages and session paths. */
  page: 1200,
  /** All authenticated calls of one tenant. */
  tenant: 12_000,
  /** Logins and their callbacks, per client address. */
  login: 120,
  /** The same, per login attempt: the browser that has its cookie. */
  login_attempt: 20,
  /** A fuse for all logins together. */
  logins: 6000,
  /** Per client address. */
  health: 600,
  /** Reads of public trees without a credential, per client address. */
  tree: 6000,
} as const;

/** Calls at the same time, by default (protocol R34). A call is large if its body or answer has more than `LARGE_BYTES`. */
export const DEFAULT_CONCURRENCY = {
  principal: { calls: 32, large: 4 },
  tenant: { calls: 128, large: 8 },
} as const;

/** Calls that are held until something is new (protocol §6.5), and how long in seconds. */
export const LONG_POLLS = {
  seconds: { least: 1, most: 30 },
  ofPrincipal: 8,
  ofGateway: 2000,
} as const;

/** A longer body or answer is large, and costs one call more for each of these (protocol R34). */
export const LARGE_BYTES = 1_048_576;

/** Longest pages and lists (protocol §9.5). */
export const PAGE_SIZES = {
  requests: 50,
  approvals: 100,
  events: 100,
  ledger: 100,
  deliveries: 30,
  incidents: 50,
} as const;

/** Durations in seconds (protocol §9.5, §11, R17). */
export const SECONDS = {
  assignmentLease: 300,
  reminderInterval: 86_400,
  deliveryWindow: 86_400,
  deliveryLease: 300,
  deliveryAttempt: 10,
  /** A stored answer is given for 90 days, then 410. */
  idempotency: 7_776_000,
  anchorRetention: 7_776_000,
  checkpointInterval: 5,
  clockTolerance: 30,
  webhookTolerance: 300,
} as const;

/** Entries of one checkpoint at most (R17); proofs are as long at most. */
export const CHECKPOINT_ENTRIES = 100;
export const MAILS_PER_RECIPIENT_AND_HOUR = 10;

/** The constants of the Agent UI profile (protocol §12.5). */
export const AGENT_UI_PROFILE = 'org.proto.agent-ui/2';
export const AGENT_UI_LIMITS = {
  view_message_bytes: 1_048_576,
  host_message_bytes: 6_291_456,
  tracked_view_request_ids: 512,
  proposals_per_view: 32,
  initialise_timeout_ms: 5000,
  teardown_grace_ms: 250,
  json_depth: 64,
  request_id_codepoints: 200,
  error_message_codepoints: 400,
  view_name_codepoints: 120,
  view_version_codepoints: 40,
  failure_reason_codepoints: 160,
} as const;
export const AGENT_UI_LIFECYCLE = {
  initialise: 'proto/ui.initialize -> proto/ui.initialized',
  snapshots: 'proto/ui.input -> proto/ui.result',
  proposal_after: 'proto/ui.result',
  teardown: 'terminal',
} as const;
