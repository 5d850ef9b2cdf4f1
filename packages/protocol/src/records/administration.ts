import { Type } from '@sinclair/typebox';
import type { Static, TInteger } from '@sinclair/typebox';
import { DEFAULT_LIMITS, PAGE_SIZES } from '../constants.js';
import {
  Count,
  Identifier,
  Profiles,
  Timestamp,
  choice,
  closed,
  named,
  nullable,
} from './primitives.js';
import { Limits } from './request.js';

/** A bearer token (protocol §8.1); checked apart from its principal: `invalid_credential` (R29). */
export const CredentialToken = Type.String({
  title: 'CredentialToken',
  pattern: '^[A-Za-z0-9_-]{32,200}$',
});

/** Configuration is kept as JSON, in which the database has no place for U+0000; nothing is called by it. */
const WITHOUT_NUL = '^[^\\u0000]*$';
const Word = Type.String({ pattern: WITHOUT_NUL });

export const PrincipalConfig = named('PrincipalConfig', {
  enabled: Type.Boolean(),
  identity_certain: Type.Optional(Type.Boolean()),
  name: Type.Optional(Word),
  publisher: Type.Optional(Word),
  owner: Type.Optional(Word),
  routes: Type.Optional(Type.Array(Identifier)),
  oidc_issuer: Type.Optional(Word),
  oidc_subject: Type.Optional(Word),
  operator: Type.Optional(Type.Boolean()),
  email: Type.Optional(Word),
  email_verified: Type.Optional(Type.Boolean()),
  webhook: Type.Optional(Word),
  webhook_secret: Type.Optional(
    Type.String({
      pattern: '^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      minLength: 10,
    }),
  ),
});
export type PrincipalConfig = Static<typeof PrincipalConfig>;

/**
 * The shape alone (`invalid_principal`). Token, people, webhook, address, publisher and owner are
 * checked afterwards with codes of their own (protocol §7 request.configure-principal), so they are any strings here.
 * The power to operate is for humans (R2): on another kind the member is refused.
 */
export const PrincipalInput = named(
  'PrincipalInput',
  {
    id: Identifier,
    kind: choice(['producer', 'publisher', 'human']),
    config: PrincipalConfig,
    token: Type.Optional(Type.String()),
  },
  {
    if: { properties: { kind: { enum: ['producer', 'publisher'] } } },
    then: { properties: { config: { type: 'object', properties: { operator: false } } } },
  },
);
export type PrincipalInput = Static<typeof PrincipalInput>;

export const PrincipalResult = named('PrincipalResult', { id: Identifier, kind: Type.String() });
export type PrincipalResult = Static<typeof PrincipalResult>;

const limitNames = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];

/** The limits that a route may set: 1 to the default of each, else `invalid_route_limits` (R29). */
export const RouteLimits = named(
  'RouteLimits',
  Object.fromEntries(
    limitNames.map((name) => [name, Type.Integer({ minimum: 1, maximum: DEFAULT_LIMITS[name] })]),
  ) as Record<keyof Limits, TInteger>,
);

const route = {
  reviewers: Type.Array(Identifier),
  separation_of_duties: Type.Boolean(),
  required_profiles: Profiles,
  allowed_producers: Type.Array(Identifier),
  modes: Type.Array(Type.String()),
};

/** The shape alone (`invalid_route`): limits are named and complete here, RouteLimits checks them. */
export const RouteInput = named('RouteInput', {
  ...route,
  // As Profiles, which its title would describe it by.
  required_profiles: Type.Unsafe<Profiles>({
    type: 'object',
    maxProperties: 10,
    propertyNames: { pattern: WITHOUT_NUL },
    additionalProperties: { type: 'string', minLength: 1, maxLength: 100, pattern: WITHOUT_NUL },
  }),
  modes: Type.Array(Word),
  limits: Type.Unsafe<Limits>({
    type: 'object',
    required: limitNames,
    properties: Object.fromEntries(limitNames.map((name) => [name, {}])),
    additionalProperties: false,
  }),
});
export type RouteInput = Static<typeof RouteInput>;

export const RouteConfig = named('RouteConfig', { ...route, limits: Limits });
export type RouteConfig = Static<typeof RouteConfig>;

/** Both the answer of `request.configure-route` and the payload of RouteConfigured (protocol §2.5). */
export const RouteResult = named('RouteResult', {
  id: Identifier,
  revision: Count,
  config: RouteConfig,
});
export type RouteResult = Static<typeof RouteResult>;

export const PrincipalConfigured = named('PrincipalConfigured', {
  id: Identifier,
  kind: choice(['producer', 'publisher', 'operator', 'human']),
  enabled: Type.Boolean(),
});
export type PrincipalConfigured = Static<typeof PrincipalConfigured>;

export const RecoveryFence = named('RecoveryFence', {
  key: Type.String({ pattern: '^[a-f0-9]{64}$' }),
  value: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
});
export type RecoveryFence = Static<typeof RecoveryFence>;

const Amount = Type.Number({ minimum: 0 });

export const MetricsSnapshot = named('MetricsSnapshot', {
  admission_fenced: Type.Boolean(),
  requests: Type.Object(
    {
      retained: Amount,
      pending: Amount,
      unresolved_execution: Amount,
      oldest_pending_seconds: Amount,
      retained_bytes: Amount,
    },
    { additionalProperties: Type.Number() },
  ),
  enabled_reviewers: Count,
  pending_per_reviewer: nullable(Amount),
  delivery: Type.Array(
    closed({ kind: Type.String(), state: Type.String(), count: Count, oldest_seconds: Amount }),
  ),
  incidents: Type.Array(closed({ id: Type.String(), code: Type.String(), created_at: Timestamp }), {
    maxItems: PAGE_SIZES.incidents,
  }),
  operations: Type.Array(
    closed({
      name: Type.String(),
      succeeded_at: nullable(Timestamp),
      failed_at: nullable(Timestamp),
    }),
  ),
  http_since_process_start: closed({ total: Count, failures: Count, conflicts: Count }),
  policy_and_executor_evidence: Type.Literal('external_executor_responsibility'),
});
export type MetricsSnapshot = Static<typeof MetricsSnapshot>;
