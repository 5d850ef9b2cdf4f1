import type { Discovery, HitlDiscovery } from '@countersign/protocol';
import {
  APPROVAL_LIMITS,
  DEFAULT_LIMITS,
  HITL_POLL_SECONDS,
  HITL_VERSION,
  PROTOCOL_REVISION,
  SUPPORTED_PROFILES,
  profilesAmong,
} from '@countersign/protocol';

export const PRODUCT = 'Countersign';

/** Whether reminders and decisions reach people by mail, or only clients that poll. */
export type Notifications = 'smtp' | 'polling-only';

/** Capabilities that the deployment offers beside the revision, each with its version (protocol §18.10). */
export type Offered = Readonly<Record<string, string>>;

/** Operation `gateway.discovery` (protocol §3.1). */
export function discovery(
  mode: 'development' | 'production',
  notifications: Notifications,
  offered: Offered,
): Discovery {
  return {
    name: PRODUCT,
    revisions: [PROTOCOL_REVISION],
    profiles: { ...SUPPORTED_PROFILES, ...profilesAmong(offered) },
    renderer: { agent_ui: SUPPORTED_PROFILES['proto.agent-ui'] },
    mode,
    release_ready: false,
    execution_admission:
      mode === 'development' ? 'development_only' : 'independent_namespace_required',
    notifications,
  };
}

const LIMITS: Readonly<Record<string, object>> = { 'proto.approval': APPROVAL_LIMITS };

/** `/.well-known/proto-capabilities` of a deployment that offers any (protocol §18.10). */
export function capabilities(origin: string, offered: Offered): object {
  return {
    capabilities: Object.fromEntries(
      Object.entries(offered).map(([name, version]) => [name, { version, ...LIMITS[name] }]),
    ),
    operations: `${origin}/openapi-extensions.json`,
    schemas: `${origin}/schemas/`,
  };
}

/**
 * `/.well-known/hitl.json` of the human-in-the-loop protocol (R19, R30); the rate is that of one caller (protocol §9.4).
 */
export function hitlDiscovery(origin: string, requestsPerMinute: number): HitlDiscovery {
  const longest = `PT${DEFAULT_LIMITS.review_seconds}S`;
  return {
    hitl_protocol: {
      spec_version: HITL_VERSION,
      service: {
        name: PRODUCT,
        description: 'A human countersigns before a machine acts',
        url: origin,
      },
      capabilities: {
        review_types: ['approval', 'input'],
        transports: ['polling'],
        max_timeout: longest,
        default_timeout: longest,
        supports_reminders: true,
        supports_multi_round: false,
        // The receipt is signed, in a form of its own: `result.data.proto_receipt`.
        supports_signatures: false,
        supports_inline_submit: false,
      },
      endpoints: {
        reviews_base: `${origin}/v2/hitl`,
        review_page_base: `${origin}/review`,
        well_known: `${origin}/.well-known/hitl.json`,
      },
      authentication: { type: 'bearer' },
      rate_limits: {
        poll_min_interval_seconds: HITL_POLL_SECONDS.least,
        poll_recommended_interval_seconds: HITL_POLL_SECONDS.recommended,
        max_requests_per_minute: requestsPerMinute,
      },
      examples: { documentation: `${origin}/docs`, openapi: `${origin}/openapi.json` },
    },
  };
}
