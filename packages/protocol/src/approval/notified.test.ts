import { notifiedVoters, stageOpenedBy } from './notified.js';
import type { Voted } from './notified.js';
import type { KeptVote } from './replay.js';
import { quorumOf, vote, voter } from './testing/voters.js';

const quorum = quorumOf([{ finance: 2 }, { platform: 1 }], 'person');
const people = [
  voter('fin-1', ['finance']),
  voter('fin-2', ['finance']),
  voter('both-1', ['finance', 'platform']),
  voter('plat-1', ['platform']),
  voter('sales-1', ['sales']),
];
const kept = (number: number, of: KeptVote['vote'], endedNumber: number | null = null) => ({
  ...{ number, vote: of, endedNumber },
});
const first = kept(1, vote('fin-1', ['finance']));
const second = kept(2, vote('fin-2', ['finance']));
const of = (votes: readonly KeptVote[], excluded: readonly string[] = []): Voted => ({
  ...{ quorum, votes, excluded },
});
const names = (found: readonly { person: string }[]) => found.map(({ person }) => person);

it('tells people with a seat in the open stage who have not voted', () => {
  expect(names(notifiedVoters(of([]), people))).toEqual(['fin-1', 'fin-2', 'both-1']);
  expect(names(notifiedVoters(of([first]), people))).toEqual(['fin-2', 'both-1']);
  expect(names(notifiedVoters(of([first, second]), people))).toEqual(['both-1', 'plat-1']);
  expect(names(notifiedVoters(of([], ['fin-1']), people))).toEqual(['fin-2', 'both-1']);
  expect(names(notifiedVoters(of([first]), people, 2))).toEqual(['both-1', 'plat-1']);
});

it('finds the vote that opened a stage, whatever came after it', () => {
  expect(stageOpenedBy(of([first, second]), 1)).toBeNull();
  expect(stageOpenedBy(of([first, second]), 2)).toBe(2);
  expect(stageOpenedBy(of([{ ...first, endedNumber: 3 }, second]), 2)).toBe(2);
  expect(stageOpenedBy(of([{ ...first, endedNumber: 2 }, kept(3, second.vote)]), 3)).toBeNull();
  const last = kept(3, vote('plat-1', ['platform'], { stage: 2 }));
  expect(stageOpenedBy(of([first, second, last]), 3)).toBeNull();
  expect(stageOpenedBy(of([kept(1, vote('fin-1', ['finance'], { yes: false }))]), 1)).toBeNull();
  expect(stageOpenedBy(of([first]), 7)).toBeNull();
});
