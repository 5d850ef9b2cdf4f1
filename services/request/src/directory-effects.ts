import {
  IDENTIFIER,
  Refusal,
  assertRecord,
  isMailAddress,
  valueDigest,
  webhookDestination,
} from '@countersign/protocol';
import type {
  DirectoryInvalidation,
  PrincipalInput,
  RouteConfig,
  RouteInput,
  WebhookRules,
} from '@countersign/protocol';
import { GOOD_TOKEN, weaknessOf } from '@countersign/database';
import type { Principal } from '@countersign/database';
import type { Affected, DirectoryView, KnownRoute } from './store/directory.js';

// The effects of a change of the directory (protocol §7 request.configure-principal, request.configure-route):
// `request.configure-principal` and `request.configure-route` apply them, their previews show them.

export interface Effects {
  /** Requests that still have something to lose. */
  readonly affected: readonly Affected[];
  /** Why a request loses its authority; null leaves it alone. */
  readonly reasonOf: (request: Affected) => DirectoryInvalidation | null;
  /** Reviewers whose leases and unconfirmed candidates go. */
  readonly removed: readonly string[];
  /** The route that they leave; null = every one. */
  readonly route: string | null;
}

/** Throws `separation_of_duties_required`, `invalid_route_limits`. */
export function requireRoute(
  before: KnownRoute | null,
  config: RouteInput,
  mode: 'development' | 'production',
): void {
  const hasPolicy = (before?.policy?.policy ?? null) !== null;
  if ((mode === 'production' || hasPolicy) && !config.separation_of_duties) {
    throw new Refusal('separation_of_duties_required');
  }
  assertRecord('RouteLimits', config.limits);
}

/** The revision moves with the rules, not with membership. */
export function revisionAfter(
  before: { revision: number; config: RouteConfig } | null,
  config: RouteConfig,
): number {
  if (before === null) return 1;
  return before.revision + (rulesDigest(before.config) === rulesDigest(config) ? 0 : 1);
}

export async function routeEffects(
  view: DirectoryView,
  id: string,
  before: { revision: number; config: RouteConfig } | null,
  config: RouteConfig,
): Promise<Effects> {
  const removed = (before?.config.reviewers ?? []).filter(
    (reviewer) => !config.reviewers.includes(reviewer),
  );
  const rulesChanged = before !== null && revisionAfter(before, config) !== before.revision;
  return {
    affected: before === null ? [] : await view.affectedByRoute(id),
    removed,
    route: id,
    reasonOf({ owner, receiptReviewer }) {
      if (rulesChanged) return 'authorisation_changed';
      if (!config.allowed_producers.includes(owner)) return 'producer_removed';
      return receiptReviewer !== null && removed.includes(receiptReviewer)
        ? 'reviewer_removed'
        : null;
    },
  };
}

/** Of a change of the policy: it is a change of the rules (protocol §18.2). */
export async function policyEffects(view: DirectoryView, route: string): Promise<Effects> {
  return {
    affected: await view.affectedByRoute(route),
    removed: [],
    route,
    reasonOf: () => 'authorisation_changed',
  };
}

/** The members that change a route's revision: everything but its memberships. */
function rulesDigest(config: RouteConfig): string {
  const { separation_of_duties, required_profiles, modes, limits } = config;
  return valueDigest({ separation_of_duties, required_profiles, modes, limits });
}

/** The rules of the installation for the directory. */
export interface DirectoryRules {
  readonly webhooks: WebhookRules;
  /** The issuer that people log in with, byte for byte. */
  readonly issuer: string;
}

/** Everything that `request.configure-principal` refuses before it changes anything, in the protocol's order. */
export async function requirePrincipal(
  view: DirectoryView,
  before: Principal | null,
  input: PrincipalInput,
  rules: DirectoryRules,
): Promise<void> {
  requireWellFormed(before, input, rules);
  requireUnchanged(before, input);
  if (input.kind === 'producer') await requireBinding(view, input);
}

function requireWellFormed(
  before: Principal | null,
  input: PrincipalInput,
  { webhooks, issuer }: DirectoryRules,
): void {
  const { config } = input;
  if (input.kind === 'human') {
    if (input.token !== undefined || !config.oidc_issuer || !config.oidc_subject) {
      throw new Refusal('invalid_human');
    }
    // A second spelling of the issuer would be a second person. An entry that an earlier release took can still be
    // disabled.
    const disables = !config.enabled && before?.issuer === config.oidc_issuer;
    if (config.oidc_issuer !== issuer && !disables) throw new Refusal('invalid_human');
  }
  const weakness = input.token === undefined ? null : weaknessOf(input.token);
  if (weakness !== null) {
    throw new Refusal('invalid_credential', { detail: `The token ${weakness}. ${GOOD_TOKEN}` });
  }
  if (config.webhook !== undefined && webhookDestination(config.webhook, webhooks) === null) {
    throw new Refusal('webhook_destination_rejected');
  }
  if (config.email !== undefined) {
    if (config.email_verified !== true || !isMailAddress(config.email)) {
      throw new Refusal('verified_email_required');
    }
  }
}

function requireUnchanged(before: Principal | null, input: PrincipalInput): void {
  if (before === null) return;
  if (before.kind !== input.kind) throw new Refusal('principal_kind_immutable');
  const same =
    before.issuer === (input.config.oidc_issuer ?? null) &&
    before.subject === (input.config.oidc_subject ?? null);
  if (input.kind === 'human' && !same) throw new Refusal('human_identity_immutable');
}

async function requireBinding(view: DirectoryView, input: PrincipalInput): Promise<void> {
  const { publisher, owner } = input.config;
  const found = publisher === undefined ? null : await view.principal(publisher);
  if (found?.kind !== 'publisher' || owner === undefined || !IDENTIFIER.test(owner)) {
    throw new Refusal('publisher_and_owner_required');
  }
}

const NOTHING: Effects = { affected: [], reasonOf: () => null, removed: [], route: null };

export async function principalEffects(
  view: DirectoryView,
  before: Principal | null,
  input: PrincipalInput,
): Promise<Effects> {
  if (before === null) return NOTHING;
  const disabled = before.enabled && !input.config.enabled;
  if (input.kind === 'human') {
    if (!disabled) return NOTHING;
    return {
      affected: await view.affectedByPerson(input.id),
      removed: [input.id],
      route: null,
      reasonOf: (request) =>
        request.requester === input.id ? 'requester_removed' : 'reviewer_removed',
    };
  }
  if (input.kind !== 'producer') return NOTHING;
  const rebound =
    before.config.owner !== input.config.owner ||
    before.config.publisher !== input.config.publisher;
  const kept = new Set(input.config.routes ?? []);
  const lost = (before.config.routes ?? []).filter((route) => !kept.has(route));
  if (!disabled && !rebound && lost.length === 0) return NOTHING;
  const affected = await view.affectedByOwner(input.id);
  return {
    ...NOTHING,
    affected:
      disabled || rebound ? affected : affected.filter((request) => lost.includes(request.route)),
    reasonOf: () => 'producer_authorisation_changed',
  };
}
