import type { QuorumPolicy } from '../records/index.js';
import { openSeats, openStage } from './tally.js';
import type { Tally } from './tally.js';

/** How far the yes votes of a request have come. */
export interface Progress {
  /** The open stage, from 1. */
  readonly stage: number;
  /** Seats of that stage that have a vote, and all of them. */
  readonly filled: number;
  readonly needed: number;
}

/**
 * The progress of the candidate that is furthest: by its open stage, then by the seats that are filled there. Without votes
 * it is that of a new candidate. Only for a request that is not decided.
 */
export function progressOf(quorum: QuorumPolicy, tally: Tally): Progress {
  const voted = tally.live.filter(({ yes }) => yes).map(({ candidate }) => candidate);
  // A candidate without votes, whatever its digest.
  return ['', ...new Set(voted)]
    .map((candidate) => {
      const seats = openSeats(quorum, tally, candidate);
      const filled = seats.filter(({ vote }) => vote !== null).length;
      return { stage: openStage(tally, candidate), filled, needed: seats.length };
    })
    .reduce((furthest, next) =>
      next.stage > furthest.stage ||
      (next.stage === furthest.stage && next.filled > furthest.filled)
        ? next
        : furthest,
    );
}
