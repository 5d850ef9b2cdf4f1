import type { QuorumPolicy } from '../records/index.js';

/** The parts of a vote, or of a person who may vote, that decide which seats can be filled (protocol §18.5). */
export interface Candidature {
  readonly person: string;
  /** Whose seat it is, for a vote on behalf of another person. */
  readonly forPerson: string | null;
  /** Of the person, or of the other person that it acts for. */
  readonly team: string | null;
  readonly groups: readonly string[];
}

export type DistinctBy = QuorumPolicy['distinct_by'];
type Stage = QuorumPolicy['stages'][number];

/** The groups of a stage's seats, one for each seat, in the order of the policy. */
export function seatsOf(stage: Stage): string[] {
  return stage.seats.flatMap(({ group, count }) => Array<string>(count).fill(group));
}

/** Seats of all stages together: as many people decide. */
export function seatCount({ stages }: Pick<QuorumPolicy, 'stages'>): number {
  return stages.reduce((sum, stage) => sum + seatsOf(stage).length, 0);
}

/** At most one seat is for each: the team where teams are distinct and there is one, else the person. */
export function classOf({ person, team }: Candidature, distinctBy: DistinctBy): string {
  return distinctBy === 'team' && team !== null ? `team ${team}` : `person ${person}`;
}

/**
 * Fills seats with votes, in the order given: a maximum matching of seats and classes by augmenting paths. A class that has
 * a seat keeps one, maybe another. Returns the vote that fills each seat, or null.
 */
export function assign<Vote extends Candidature>(
  seats: readonly string[],
  votes: readonly Vote[],
  distinctBy: DistinctBy,
): (Vote | null)[] {
  const classes = new Map<string, { readonly votes: Vote[]; readonly groups: Set<string> }>();
  const owners: (string | null)[] = seats.map(() => null);

  const place = (name: string, visited: Set<number>): boolean => {
    for (const [seat, group] of seats.entries()) {
      if (visited.has(seat) || classes.get(name)?.groups.has(group) !== true) continue;
      visited.add(seat);
      const owner = owners[seat] ?? null;
      if (owner === null || place(owner, visited)) {
        owners[seat] = name;
        return true;
      }
    }
    return false;
  };

  for (const vote of votes) {
    const name = classOf(vote, distinctBy);
    const known = classes.get(name) ?? { votes: [], groups: new Set() };
    classes.set(name, known);
    known.votes.push(vote);
    for (const group of vote.groups) known.groups.add(group);
    // A second vote of a class may give it other seats, and so make room for a class that had none.
    for (const each of classes.keys()) if (!owners.includes(each)) place(each, new Set());
  }
  return owners.map((owner, seat) => {
    const group = seats[seat] as string;
    const of = owner === null ? undefined : classes.get(owner);
    return of?.votes.find(({ groups }) => groups.includes(group)) ?? null;
  });
}

/** Persons and classes that filled seats of earlier stages: they fill no other. */
export interface UsedUp {
  readonly persons: ReadonlySet<string>;
  readonly classes: ReadonlySet<string>;
}

export function usedUpBy(votes: readonly Candidature[], distinctBy: DistinctBy): UsedUp {
  return {
    persons: new Set(votes.flatMap(personsOf)),
    classes: new Set(votes.map((vote) => classOf(vote, distinctBy))),
  };
}

export function isFree(vote: Candidature, used: UsedUp, distinctBy: DistinctBy): boolean {
  return (
    !used.classes.has(classOf(vote, distinctBy)) &&
    personsOf(vote).every((person) => !used.persons.has(person))
  );
}

/** Everyone whom a vote uses up: the voter, and the person that it acts for. */
export function personsOf({ person, forPerson }: Candidature): string[] {
  return forPerson === null ? [person] : [person, forPerson];
}

/** Seats of one group in one stage that cannot be filled together with all others. */
export interface Shortage {
  /** From 1. */
  readonly stage: number;
  readonly group: string;
  readonly needed: number;
  /** People of the group, or teams of them where teams are distinct. */
  readonly eligible: number;
}

/**
 * The seats that these people cannot fill. Empty: they can fill all seats of all stages, each at most one (protocol §18.3).
 * `from`: the first stage that counts, from 1; `used`: who filled the stages before it.
 */
export function shortages(
  { stages, distinct_by: distinctBy }: QuorumPolicy,
  people: readonly Candidature[],
  { from = 1, used = usedUpBy([], distinctBy) }: { from?: number; used?: UsedUp } = {},
): Shortage[] {
  const free = people.filter((person) => isFree(person, used, distinctBy));
  const seats = stages
    .map((stage, at) => ({ stage, number: at + 1 }))
    .filter(({ number }) => number >= from)
    .flatMap(({ stage, number }) => seatsOf(stage).map((group) => ({ stage, number, group })));
  const filled = assign(
    seats.map(({ group }) => group),
    free,
    distinctBy,
  );
  const short = new Map<string, Shortage>();
  for (const [at, { stage, number, group }] of seats.entries()) {
    if (filled[at] !== null) continue;
    const ofGroup = free.filter(({ groups }) => groups.includes(group));
    short.set(`${number} ${group}`, {
      stage: number,
      group,
      needed: stage.seats.find((seat) => seat.group === group)?.count ?? 0,
      eligible: new Set(ofGroup.map((person) => classOf(person, distinctBy))).size,
    });
  }
  return [...short.values()];
}
