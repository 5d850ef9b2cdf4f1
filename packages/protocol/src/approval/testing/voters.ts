import { EXAMPLES } from '../../records/examples.js';
import type { QuorumPolicy } from '../../records/index.js';
import type { Candidature } from '../seats.js';
import type { Vote } from '../tally.js';

/** A person who may vote, named by the digest's place. */
export function voter(
  person: string,
  groups: readonly string[],
  team: string | null = null,
): Candidature {
  return { person, forPerson: null, team, groups };
}

/** A policy with these stages, each with its groups and their counts. */
export function quorumOf(
  stages: readonly Readonly<Record<string, number>>[],
  distinctBy: QuorumPolicy['distinct_by'] = 'team',
  changed: Partial<QuorumPolicy> = {},
): QuorumPolicy {
  return {
    ...EXAMPLES.RoutePolicy.quorum,
    stages: stages.map((seats, at) => ({
      name: `stage-${at + 1}`,
      seats: Object.entries(seats).map(([group, count]) => ({ group, count })),
    })),
    distinct_by: distinctBy,
    ...changed,
  };
}

/** A vote for the candidate `a`, in stage 1 unless it is a no. */
export function vote(person: string, groups: readonly string[], changed: Partial<Vote> = {}): Vote {
  const yes = changed.yes ?? true;
  return {
    ...voter(person, groups),
    id: `vote of ${person}`,
    reviewer: person,
    candidate: 'a',
    yes,
    stage: yes ? 1 : 0,
    ...changed,
  };
}
