import {
  POLICY_PARTS,
  configuredByAfter,
  partsOfPrincipal,
  partsOfRoute,
  textDigest,
} from '@countersign/protocol';
import type { ConfiguredBy, PrincipalInput, RouteConfig } from '@countersign/protocol';
import type { Principal } from '@countersign/database';
import type { DirectoryView, KnownPrincipal, KnownRoute } from './store/directory.js';

// The author of each part of the directory (protocol R38): `request.configure-principal` and `request.configure-route`
// record it, their previews show its effect.

/** Changes by bearer operators are of no person. */
function authorOf(operator: Principal): string | null {
  return operator.kind === 'human' ? operator.id : null;
}

export function routeConfiguredBy(
  before: KnownRoute | null,
  config: RouteConfig,
  operator: Principal,
): ConfiguredBy {
  const known =
    before === null
      ? { parts: {}, by: {} }
      : { parts: partsOfRoute(before.config, before.policy?.policy), by: before.configuredBy };
  return configuredByAfter(known, partsOfRoute(config, before?.policy?.policy), authorOf(operator));
}

/** After a change of the policy of a route: its author, and the person who proposed it to the author. */
export function policyConfiguredBy(
  before: KnownRoute,
  operator: Principal,
  proposer: string | null,
): ConfiguredBy {
  const [author, proposal] = POLICY_PARTS;
  const others = Object.entries(before.configuredBy).filter(
    ([part]) => part !== author && part !== proposal,
  );
  const authors = [
    [author, authorOf(operator)],
    [proposal, proposer],
  ].filter((entry): entry is [string, string] => entry[1] !== null);
  return Object.fromEntries([...others, ...authors]);
}

export async function principalConfiguredBy(
  view: DirectoryView,
  before: KnownPrincipal | null,
  input: PrincipalInput,
  operator: Principal,
): Promise<ConfiguredBy> {
  const { webhook_secret: secret, ...config } = input.config;
  const token = before?.tokenDigest ?? null;
  const hadSecret = before !== null && (await view.hasWebhookSecret(before.id));
  const known =
    before === null
      ? { parts: {}, by: {} }
      : {
          parts: partsOfPrincipal(before.config, { token, webhook: hadSecret ? 'before' : null }),
          by: before.configuredBy,
        };
  const after = partsOfPrincipal(config, {
    token: input.token === undefined ? token : textDigest(input.token),
    // The old secret cannot be read: a given one counts as another.
    webhook: secret === undefined ? null : 'after',
  });
  return configuredByAfter(known, after, authorOf(operator));
}

/** The route itself, when this operator reviews on it and cannot decide there while the change holds. */
export async function barredFromRoute(
  view: DirectoryView,
  { id, before, config }: { id: string; before: KnownRoute | null; config: RouteConfig },
  operator: Principal,
): Promise<string[]> {
  const ids = await view.idsOfPerson(operator);
  const sets = isAmong(ids, routeConfiguredBy(before, config, operator));
  const reviews = config.reviewers.some((reviewer) => ids.includes(reviewer));
  return config.separation_of_duties && sets && reviews ? [id] : [];
}

/** Routes on which this operator cannot decide requests of this principal while the change holds. */
export async function barredFromOwner(
  view: DirectoryView,
  before: KnownPrincipal | null,
  input: PrincipalInput,
  operator: Principal,
): Promise<string[]> {
  const ids = await view.idsOfPerson(operator);
  const sets = isAmong(ids, await principalConfiguredBy(view, before, input, operator));
  return sets ? view.separatedRoutes(ids, input.id) : [];
}

function isAmong(ids: readonly string[], configuredBy: ConfiguredBy): boolean {
  return Object.values(configuredBy).some((by) => ids.includes(by));
}
