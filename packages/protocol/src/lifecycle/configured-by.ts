import { canonicalText } from '../json/index.js';
import { PrincipalConfig } from '../records/administration.js';
import type { RouteConfig } from '../records/administration.js';
import type { RoutePolicy } from '../records/approval-policy.js';

/**
 * Which person set each part of a directory entry as it is now: name of the part → principal id of a human. A part that
 * is not named was set by no person: by a bearer operator, or before this was remembered.
 */
export type ConfiguredBy = Readonly<Record<string, string>>;

/** The parts of an entry by name, each a JSON value. */
export type Parts = Readonly<Record<string, unknown>>;

/**
 * The author of each part after a change by `author`, a human's principal id or null for a bearer operator. Only a part
 * whose value changes gets another author: saving an entry again as it is takes nothing over.
 */
export function configuredByAfter(
  before: { parts: Parts; by: ConfiguredBy },
  after: Parts,
  author: string | null,
): ConfiguredBy {
  return Object.fromEntries(
    Object.entries(after).flatMap(([part, value]) => {
      const same = textOf(before.parts[part]) === textOf(value);
      const by = same ? (before.by[part] ?? null) : author;
      return by === null ? [] : [[part, by]];
    }),
  );
}

/** The policy of a route (protocol §18.2), and the same for the operator who proposed it to the one who set it. */
export const POLICY_PARTS = ['policy', 'policy proposal'] as const;

/**
 * Rules, producers and the list of reviewers as wholes, and each reviewer's membership. `policy`: null once it was removed,
 * undefined where the route never had one.
 */
export function partsOfRoute(config: RouteConfig, policy?: RoutePolicy | null): Parts {
  const { reviewers, allowed_producers: producers, ...rules } = config;
  return {
    rules,
    ...(policy !== undefined && Object.fromEntries(POLICY_PARTS.map((part) => [part, policy]))),
    producers: setOf(producers),
    reviewers: setOf(reviewers),
    ...Object.fromEntries(reviewers.map((id) => [`reviewer ${id}`, true])),
  };
}

/** Every member of the configuration, given or not, and the secrets, each as a text that tells one from another. */
export function partsOfPrincipal(
  config: Partial<Readonly<Record<keyof PrincipalConfig, unknown>>>,
  secrets: { token: string | null; webhook: string | null },
): Parts {
  const members = Object.keys(PrincipalConfig.properties) as (keyof PrincipalConfig)[];
  return {
    ...Object.fromEntries(members.map((member) => [member, config[member]])),
    token: secrets.token,
    webhook_secret: secrets.webhook,
  };
}

/**
 * Persons whose own change is in force for the requests of one owner on one route (protocol R38). To `decide`, all of the
 * route and the owner's entry count, with its token. To `use` a decision, the owner's alone: they control who can use it,
 * while a change of rules ends the authority by itself and one of reviewers does not affect decided requests.
 */
export function configurers(
  step: 'decide' | 'use',
  route: ConfiguredBy,
  owner: ConfiguredBy,
): readonly string[] {
  const entries = step === 'decide' ? [route, owner] : [owner];
  return [...new Set(entries.flatMap((entry) => Object.values(entry)))];
}

function setOf(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].sort();
}

function textOf(value: unknown): string {
  return canonicalText(value ?? null);
}
