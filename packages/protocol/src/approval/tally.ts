import type { QuorumPolicy } from '../records/index.js';
import { assign, isFree, seatsOf, shortages, usedUpBy } from './seats.js';
import type { Candidature, UsedUp } from './seats.js';

/** A vote as the tally needs it (protocol §18.4); `id` is the digest of its record. */
export interface Vote extends Candidature {
  readonly id: string;
  readonly reviewer: string;
  /** The candidate's digest. */
  readonly candidate: string;
  readonly yes: boolean;
  /** The stage that it is for, from 1; 0 for a no. */
  readonly stage: number;
}

/** A vote that decided, with its seat; of a no there is none. */
export interface Counted {
  readonly vote: Vote;
  readonly stage: number;
  readonly group: string | null;
}

/** The seats of a stage that is complete, each with the vote that fills it. */
type Filled = readonly Vote[];

/**
 * The state of a request's votes: `collecting` until every seat of one candidate is filled (`reached`) or enough people said
 * no (`rejected`). A value; every step makes a new one.
 */
export interface Tally {
  readonly phase: 'collecting' | 'reached' | 'rejected';
  /** In the order of their numbers. */
  readonly live: readonly Vote[];
  /** The complete stages of each candidate, from the first. */
  readonly complete: ReadonlyMap<string, readonly Filled[]>;
  /** Empty while collecting; in the order of the votes' numbers. */
  readonly counted: readonly Counted[];
}

export const NO_VOTES: Tally = {
  phase: 'collecting',
  live: [],
  complete: new Map(),
  counted: [],
};

/** The stage of a candidate that collects votes, from 1. */
export function openStage({ complete }: Tally, candidate: string): number {
  return (complete.get(candidate)?.length ?? 0) + 1;
}

/**
 * The seats of the open stage of a candidate, each with the vote that fills it or null; empty when all stages are complete.
 */
export function openSeats(
  quorum: QuorumPolicy,
  tally: Tally,
  candidate: string,
): { group: string; vote: Vote | null }[] {
  const { seats, votes } = collecting(quorum, tally, candidate);
  const filled = assign(seats, votes, quorum.distinct_by);
  return seats.map((group, at) => ({ group, vote: filled[at] ?? null }));
}

/** The open stage of a candidate: the groups of its seats, and the votes that may fill them. */
function collecting(quorum: QuorumPolicy, tally: Tally, candidate: string) {
  const stage = openStage(tally, candidate);
  const described = quorum.stages[stage - 1];
  const used = usedUp(quorum, tally.complete.get(candidate) ?? []);
  const votes = tally.live.filter(
    (vote) =>
      vote.yes &&
      vote.candidate === candidate &&
      vote.stage === stage &&
      isFree(vote, used, quorum.distinct_by),
  );
  return { seats: described === undefined ? [] : seatsOf(described), votes };
}

function usedUp(quorum: QuorumPolicy, complete: readonly Filled[]): UsedUp {
  return usedUpBy(complete.flat(), quorum.distinct_by);
}

/** Counts one more vote. Throws a `RangeError` after the decision: nothing is counted then. */
export function cast(quorum: QuorumPolicy, tally: Tally, vote: Vote): Tally {
  if (tally.phase !== 'collecting') throw new RangeError('the request is decided');
  const next = { ...tally, live: [...tally.live, vote] };
  return vote.yes ? completed(quorum, next, vote.candidate) : rejected(quorum, next);
}

/** Freezes the open stage of a candidate where all its seats are filled. */
function completed(quorum: QuorumPolicy, tally: Tally, candidate: string): Tally {
  const { seats, votes } = collecting(quorum, tally, candidate);
  if (seats.length === 0 || votes.length < seats.length) return tally;
  const filled = assign(seats, votes, quorum.distinct_by).filter((vote) => vote !== null);
  if (filled.length < seats.length) return tally;
  const stages = [...(tally.complete.get(candidate) ?? []), filled];
  const complete = new Map(tally.complete).set(candidate, stages);
  if (stages.length < quorum.stages.length) return { ...tally, complete };
  const order = new Map(tally.live.map(({ id }, at) => [id, at]));
  const counted = stages
    .flatMap((of, at) => {
      const groups = seatsOf(quorum.stages[at] as QuorumPolicy['stages'][number]);
      return of.map((vote, seat) => ({ vote, stage: at + 1, group: groups[seat] ?? null }));
    })
    .sort((one, other) => (order.get(one.vote.id) ?? 0) - (order.get(other.vote.id) ?? 0));
  return { ...tally, complete, phase: 'reached', counted };
}

/** A no counts for its person, whatever candidate it names. */
function rejected(quorum: QuorumPolicy, tally: Tally): Tally {
  const noes = tally.live.filter(({ yes }) => !yes);
  if (new Set(noes.map(({ person }) => person)).size < quorum.rejection.count) return tally;
  const counted = noes.map((vote) => ({ vote, stage: 0, group: null }));
  return { ...tally, phase: 'rejected', counted };
}

export interface Ended {
  readonly tally: Tally;
  /** Votes for later stages that end with it, because an earlier stage is open again. */
  readonly reopened: readonly Vote[];
}

/**
 * Takes votes back. A complete stage that loses a vote is filled anew from the votes that it still has, and every vote for a
 * later stage of that candidate ends: its giver had been told that the stage before was complete.
 */
export function end(quorum: QuorumPolicy, tally: Tally, ids: ReadonlySet<string>): Ended {
  if (tally.phase !== 'collecting') throw new RangeError('the request is decided');
  let next: Tally = { ...tally, live: tally.live.filter(({ id }) => !ids.has(id)) };
  const reopened: Vote[] = [];
  for (const [candidate, stages] of tally.complete) {
    const at = stages.findIndex((filled) => filled.some(({ id }) => ids.has(id)));
    if (at < 0) continue;
    const later = next.live.filter(
      (vote) => vote.yes && vote.candidate === candidate && vote.stage > at + 1,
    );
    reopened.push(...later);
    next = {
      ...next,
      live: next.live.filter((vote) => !later.includes(vote)),
      complete: new Map(next.complete).set(candidate, stages.slice(0, at)),
    };
    next = completed(quorum, next, candidate);
  }
  return { tally: next, reopened };
}

/**
 * Whether people who may still vote could fill every seat that is not frozen, of some candidate that has votes or of a new
 * one (protocol §18.5). It ends no request.
 */
export function isReachable(
  quorum: QuorumPolicy,
  tally: Tally,
  people: readonly Candidature[],
): boolean {
  if (shortages(quorum, people).length === 0) return true;
  return [...tally.complete.values()].some((stages) => {
    const used = usedUp(quorum, stages);
    return shortages(quorum, people, { from: stages.length + 1, used }).length === 0;
  });
}
