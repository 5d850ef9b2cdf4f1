import { APPROVAL_LIMITS, EXTENSION_PROFILES, KEY_PROFILE } from '../constants.js';
import { Refusal } from '../errors.js';
import { valueDigest } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import type { ExtendedDecisionRequest, RoutePolicy } from '../records/index.js';
import { shortages } from './seats.js';
import type { Candidature } from './seats.js';

const MOST_EXCLUDED = APPROVAL_LIMITS.excluded_people;

/** A person on the wire (protocol §18.1). */
export function personDigest(person: {
  readonly issuer: string;
  readonly subject: string;
  readonly tenant: string;
}): Digest {
  const { issuer, subject, tenant } = person;
  return valueDigest({ issuer, subject, tenant });
}

/**
 * Whether a request may select these profiles on a route with this policy, or without one (protocol §18.3). Throws
 * `unsupported_profile` for one that is not offered or that the policy has no part for, and `route_profile_required` for one
 * that the policy needs and the request lacks, also while it is not offered: no person decides alone where several have to.
 *
 * @param offered the profiles of the deployment's capabilities, each with its version
 */
export function requirePolicyProfiles(
  profiles: Readonly<Record<string, string>>,
  policy: RoutePolicy | null,
  offered: Readonly<Record<string, string>>,
): void {
  for (const name of Object.keys({ ...EXTENSION_PROFILES, ...KEY_PROFILE })) {
    const version = profiles[name];
    if (version === undefined) continue;
    if (policy === null || offered[name] !== version) throw new Refusal('unsupported_profile');
  }
  if (policy === null) return;
  const keys = Object.keys(KEY_PROFILE);
  const needed = ['proto.approval', ...(policy.human_key === undefined ? [] : keys)];
  if (policy.human_key === undefined && keys.some((name) => profiles[name] !== undefined)) {
    throw new Refusal('unsupported_profile');
  }
  if (needed.some((name) => profiles[name] === undefined)) {
    throw new Refusal('route_profile_required');
  }
}

/**
 * The policy as a request freezes it, with the people whom it excludes (protocol §18.3). Throws `quorum_unsatisfiable` when the
 * rest cannot fill every seat; its detail names groups and counts, and never people.
 *
 * @param excluded digests of persons, in any order, some of them maybe twice
 * @param people who may vote on the route, with those whom the request excludes
 */
export function frozenApproval(
  policy: RoutePolicy,
  excluded: readonly Digest[],
  people: readonly Candidature[],
): ExtendedDecisionRequest['approval'] {
  const persons = new Set<string>(excluded);
  if (persons.size > MOST_EXCLUDED) {
    const detail = `${persons.size} people are excluded, and ${MOST_EXCLUDED} at most can be`;
    throw new Refusal('quorum_unsatisfiable', { detail });
  }
  const eligible = eligibleFor({ excluded: [...persons] }, people);
  const short = shortages(policy.quorum, eligible);
  if (short.length > 0) {
    const detail = short.map(
      ({ group, needed, eligible: found }) => `group ${group}: ${needed} needed, ${found} eligible`,
    );
    throw new Refusal('quorum_unsatisfiable', { detail: detail.join('; ') });
  }
  return {
    excluded: [...persons].sort() as Digest[],
    policy,
    policy_digest: valueDigest(policy),
  };
}

/** The people who may vote on a request, of those who may on its route: each as one person of one team. */
export function eligibleFor(
  { excluded }: { readonly excluded: readonly string[] },
  people: readonly Candidature[],
): Candidature[] {
  return oneTeamEach(people.filter(({ person }) => !excluded.includes(person)));
}

/**
 * A person has one vote, whatever teams the memberships of its principals name: here that of the first one counts, so that one
 * person is never taken for two teams.
 */
function oneTeamEach(people: readonly Candidature[]): Candidature[] {
  const teams = new Map<string, string | null>();
  return people.filter(({ person, team }) => {
    if (!teams.has(person)) teams.set(person, team);
    return teams.get(person) === team;
  });
}
