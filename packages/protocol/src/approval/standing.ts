import { eligibleFor } from './asking.js';
import type { Candidature } from './seats.js';
import type { Counted, Vote } from './tally.js';

/** A person with a vote, or with a seat, on requests of one route, as the directory has it. */
export interface Voter {
  readonly reviewer: string;
  /** Enabled, and a reviewer of the route. */
  readonly isReviewer: boolean;
  readonly isCertain: boolean;
  /** Without groups where there is no membership; null where it is not certain which person this is. */
  readonly member: Pick<Candidature, 'person' | 'team' | 'groups'> | null;
}

/** By the id of the principal. */
export type Voters = ReadonlyMap<string, Voter>;

export interface Ending {
  readonly reason: 'member_removed' | 'candidate_gone' | 'same_person';
  readonly votes: readonly Vote[];
}

/**
 * The live votes, in the order of their numbers, that a directory with these voters lets stand no longer (protocol §18.7). A yes
 * stands while its giver holds all seat groups that it names, because it may move between their seats; a no while one is held.
 * Of two votes that are one person's now the later one ends.
 *
 * @param gone digests of candidates that their authors no longer stand for
 */
export function endingsOf(
  live: readonly Vote[],
  voters: Voters,
  gone: ReadonlySet<string>,
): Ending[] {
  const persons = new Set<string>();
  const reasonOf = (vote: Vote): Ending['reason'] | null => {
    const voter = voters.get(vote.reviewer);
    if (!holds(voter, vote, vote.yes ? vote.groups : null)) return 'member_removed';
    if (gone.has(vote.candidate)) return 'candidate_gone';
    const person = voter?.member?.person ?? vote.person;
    if (persons.has(person)) return 'same_person';
    persons.add(person);
    // The record names a person that its giver no longer is.
    return person === vote.person ? null : 'member_removed';
  };
  const reasons = new Map(live.map((vote) => [vote, reasonOf(vote)]));
  return (['member_removed', 'candidate_gone', 'same_person'] as const)
    .map((reason) => ({ reason, votes: live.filter((vote) => reasons.get(vote) === reason) }))
    .filter(({ votes }) => votes.length > 0);
}

/** Whether each vote that was counted is still one of a person who may fill its seat. */
export function allStand(counted: readonly Counted[], voters: Voters): boolean {
  return counted.every(({ vote, group }) => {
    const voter = voters.get(vote.reviewer);
    const person = voter?.member?.person ?? vote.person;
    return holds(voter, vote, group === null ? null : [group]) && person === vote.person;
  });
}

/** `groups`: all of them are needed; null: one of the vote's own. A person who is not certain to be known keeps what they have. */
function holds(voter: Voter | undefined, vote: Vote, groups: readonly string[] | null): boolean {
  if (voter?.isReviewer !== true) return false;
  const { member } = voter;
  if (member === null) return true;
  const held = (group: string) => member.groups.includes(group);
  return (
    member.team === vote.team && (groups === null ? vote.groups.some(held) : groups.every(held))
  );
}

/** The people who may fill seats of a request (protocol §18.5). */
export function candidaturesOf(
  request: { readonly excluded: readonly string[] },
  voters: Voters,
): Candidature[] {
  const people = [...voters.values()].flatMap(({ isReviewer, isCertain, member }) =>
    isReviewer && isCertain && member !== null ? [{ ...member, forPerson: null }] : [],
  );
  return eligibleFor(request, people);
}
