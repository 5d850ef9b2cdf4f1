import {
  IDENTIFIER,
  Refusal,
  assertRecord,
  isMailAddress,
  losesVoter,
  valueDigest,
  webhookDestination,
} from '@countersign/protocol';
import type {
  DirectoryInvalidation,
  PrincipalInput,
  RouteConfig,
  RouteInput,
  Trust,
  WebhookRules,
} from '@countersign/protocol';
import { GOOD_TOKEN, weaknessOf } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { affectedVotes } from './affected-votes.js';
import type { AffectedVotes } from './affected-votes.js';
import type { VoterRow } from './store/directory-votes.js';
import type { Affected, DirectoryView, KnownRoute } from './store/directory.js';

// The effects of a change of the directory (protocol §7 request.configure-principal, request.configure-route):
// `request.configure-principal` and `request.configure-route` apply them, their previews show them.

export interface Effects {
  /** Requests that still have something to lose. */
  readonly affected: readonly Affected[];
  /** Of those that several people decide, where the change takes voters away. */
  readonly votes: ReadonlyMap<string, AffectedVotes>;
  /** Why a request loses its authority; null leaves it alone. */
  readonly reasonOf: (request: Affected) => DirectoryInvalidation | null;
  /** Reviewers whose leases and unconfirmed candidates go. */
  readonly removed: readonly string[];
  /** The route that they leave; null = every one. */
  readonly route: string | null;
}

const NOTHING: Effects = {
  ...{ affected: [], votes: new Map(), removed: [], route: null },
  reasonOf: () => null,
};

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
  trust: Trust,
): Promise<Effects> {
  const removed = (before?.config.reviewers ?? []).filter(
    (reviewer) => !config.reviewers.includes(reviewer),
  );
  const rulesChanged = before !== null && revisionAfter(before, config) !== before.revision;
  const affected = before === null ? [] : await view.affectedByRoute(id);
  const reviews = (person: VoterRow) => ({
    ...person,
    routes: config.reviewers.includes(person.id) ? [id] : [],
  });
  const losesVoters = removed.length > 0 && !rulesChanged;
  const votes = losesVoters
    ? await affectedVotes(view, affected, removed, reviews, trust)
    : NOTHING.votes;
  return {
    affected,
    votes,
    removed,
    route: id,
    reasonOf(request) {
      const { owner, receiptReviewer, isVotedOn } = request;
      if (rulesChanged) return 'authorisation_changed';
      if (!config.allowed_producers.includes(owner)) return 'producer_removed';
      if (isVotedOn) return votersLost(view, request, votes);
      return receiptReviewer !== null && removed.includes(receiptReviewer)
        ? 'reviewer_removed'
        : null;
    },
  };
}

/** Of a request that several people decide: a vote that was counted and stands no longer takes the unused grant away. */
function votersLost(
  { now }: DirectoryView,
  { id, lifecycle }: Affected,
  votes: Effects['votes'],
): DirectoryInvalidation | null {
  const of = votes.get(id);
  const isLost = of !== undefined && losesVoter(lifecycle, of.voting, of.directory, now);
  return isLost ? 'reviewer_removed' : null;
}

/** Of a change of the policy: it is a change of the rules (protocol §18.2). */
export async function policyEffects(view: DirectoryView, route: string): Promise<Effects> {
  return {
    ...NOTHING,
    affected: await view.affectedByRoute(route),
    route,
    reasonOf: () => 'authorisation_changed',
  };
}

/** Of a change of a membership, which is saved already. */
export async function membershipEffects(
  view: DirectoryView,
  id: string,
  trust: Trust,
): Promise<Effects> {
  const affected = await view.affectedByReviewer(id);
  const votes = await affectedVotes(view, affected, [], (person) => person, trust);
  return { ...NOTHING, affected, votes, reasonOf: (request) => votersLost(view, request, votes) };
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

export async function principalEffects(
  view: DirectoryView,
  before: Principal | null,
  input: PrincipalInput,
  trust: Trust,
): Promise<Effects> {
  if (before === null) return NOTHING;
  const disabled = before.enabled && !input.config.enabled;
  if (input.kind === 'human') return humanEffects(view, before, input, trust);
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

/** A person who is not certain to be known keeps votes and decisions, and fills no seat meanwhile. */
async function humanEffects(
  view: DirectoryView,
  before: Principal,
  { id, config }: PrincipalInput,
  trust: Trust,
): Promise<Effects> {
  const isCertain = config.identity_certain !== false;
  const disabled = before.enabled && !config.enabled;
  const doubted = before.config.identity_certain !== false && !isCertain;
  if (!disabled && !doubted) return NOTHING;
  const affected = disabled ? await view.affectedByPerson(id) : await view.affectedByReviewer(id);
  const removed = disabled ? [id] : [];
  const after = (person: VoterRow) =>
    person.id === id ? { ...person, enabled: config.enabled, isCertain } : person;
  const votes = await affectedVotes(view, affected, removed, after, trust);
  return {
    ...{ affected, votes, removed, route: null },
    reasonOf(request) {
      if (disabled && request.requester === id) return 'requester_removed';
      if (request.isVotedOn) return votersLost(view, request, votes);
      return disabled ? 'reviewer_removed' : null;
    },
  };
}

/** Of a key that was lost or is in other hands: live votes by it end, and so does unused authority that rests on one (protocol §19.4). */
export async function credentialEffects(
  view: DirectoryView,
  credential: string,
  trust: Trust,
): Promise<Effects> {
  const affected = await view.affectedByCredential(credential);
  if (affected.length === 0) return NOTHING;
  const keyless = await view.votesByCredential(credential);
  const standing = await affectedVotes(view, affected, [], (person) => person, trust);
  const votes = new Map(
    [...standing].map(([id, of]) => [id, { ...of, directory: { ...of.directory, keyless } }]),
  );
  return {
    ...NOTHING,
    ...{ affected, votes },
    reasonOf: (request) => votersLost(view, request, votes),
  };
}
