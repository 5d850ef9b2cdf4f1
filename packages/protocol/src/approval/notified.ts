import type { QuorumPolicy } from '../records/index.js';
import { progressOf } from './progress.js';
import { tallyOf } from './replay.js';
import type { KeptVote } from './replay.js';
import type { Candidature } from './seats.js';
import { openStage } from './tally.js';

/** The parts of a request that say who is to vote. */
export interface Voted {
  readonly quorum: QuorumPolicy;
  /** Digests of persons. */
  readonly excluded: readonly string[];
  readonly votes: readonly KeptVote[];
}

/** The stage that a vote opened for its candidate, or null: another vote for its stage is still missing, or it decided. */
export function stageOpenedBy({ quorum, votes }: Voted, number: number): number | null {
  const given = votes.find((kept) => kept.number === number);
  if (given === undefined || !given.vote.yes) return null;
  const before = votes
    .filter((kept) => kept.number <= number)
    .map((kept) =>
      kept.endedNumber !== null && kept.endedNumber > number
        ? { ...kept, endedNumber: null }
        : kept,
    );
  const { vote } = given;
  const open = openStage(tallyOf(quorum, before), vote.candidate);
  return open > vote.stage && open <= quorum.stages.length ? open : null;
}

/**
 * Those of the people who may vote that have a seat in a stage, or without one in the stage that is open, and have not voted
 * (protocol §11.6). They are told of a request: nothing is decided by it.
 */
export function notifiedVoters<Person extends Candidature>(
  { quorum, excluded, votes }: Voted,
  people: readonly Person[],
  stage?: number,
): Person[] {
  const tally = tallyOf(quorum, votes);
  const open = quorum.stages[(stage ?? progressOf(quorum, tally).stage) - 1];
  const groups = new Set(open?.seats.map(({ group }) => group));
  const voted = new Set(tally.live.map(({ person }) => person));
  return people.filter(
    (each) =>
      !excluded.includes(each.person) &&
      !voted.has(each.person) &&
      each.groups.some((group) => groups.has(group)),
  );
}
