import type { QuorumPolicy } from '../records/index.js';
import { NO_VOTES, cast, end } from './tally.js';
import type { Tally, Vote } from './tally.js';

/** A vote as it is kept, with its place among the votes and endings of its request (protocol §18.4). */
export interface KeptVote {
  readonly vote: Vote;
  readonly number: number;
  /** The place of its ending; null while it has none. */
  readonly endedNumber: number | null;
}

/**
 * The tally of the votes and endings of a request, counted again in the order of their numbers (protocol §18.5). Throws a
 * `RangeError` when there is a vote or an ending after the decision.
 */
export function tallyOf(quorum: QuorumPolicy, kept: readonly KeptVote[]): Tally {
  const steps = new Map<number, { vote?: Vote; ended: Set<string> }>();
  const stepOf = (number: number) => {
    const step = steps.get(number) ?? { ended: new Set() };
    steps.set(number, step);
    return step;
  };
  for (const { vote, number, endedNumber } of kept) {
    stepOf(number).vote = vote;
    if (endedNumber !== null) stepOf(endedNumber).ended.add(vote.id);
  }
  return [...steps]
    .sort(([one], [other]) => one - other)
    .reduce(
      (tally, [, { vote, ended }]) =>
        vote === undefined ? end(quorum, tally, ended).tally : cast(quorum, tally, vote),
      NO_VOTES,
    );
}
