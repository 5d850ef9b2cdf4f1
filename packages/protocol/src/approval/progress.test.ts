import { progressOf } from './progress.js';
import { NO_VOTES, cast } from './tally.js';
import type { Vote } from './tally.js';
import { quorumOf, vote } from './testing/voters.js';

const quorum = quorumOf([{ finance: 1 }, { platform: 2 }], 'person');
const after = (...votes: readonly Vote[]) =>
  progressOf(
    quorum,
    votes.reduce((tally, each) => cast(quorum, tally, each), NO_VOTES),
  );
const finance = vote('fin-1', ['finance']);
const platform = vote('plat-1', ['platform'], { stage: 2 });

it.each([
  ['without votes', after(), { stage: 1, filled: 0, needed: 1 }],
  ['after the first stage', after(finance), { stage: 2, filled: 0, needed: 2 }],
  ['within the second stage', after(finance, platform), { stage: 2, filled: 1, needed: 2 }],
  [
    'of the candidate that is furthest',
    after(finance, vote('fin-2', ['finance'], { candidate: 'b' }), platform),
    { stage: 2, filled: 1, needed: 2 },
  ],
])('says the open stage and its seats %s', (_, found, expected) => {
  expect(found).toEqual(expected);
});

it('does not count a no', () => {
  const two = quorumOf([{ finance: 2 }], 'person', { rejection: { count: 2 } });
  const no = vote('fin-1', ['finance'], { yes: false });
  expect(progressOf(two, cast(two, NO_VOTES, no))).toEqual({ stage: 1, filled: 0, needed: 2 });
});
