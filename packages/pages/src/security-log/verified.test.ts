import { NOTHING_VERIFIED, stateOf } from './verified.js';

const verified = { heads: ['h1', 'h2', 'h3'], covered: 2 };

it.each([
  ['covered', 2, 'h2'],
  ['chained', 3, 'h3'],
  ['open', 4, 'h4'],
  ['other', 2, 'h3'],
] as const)('%s: entry %d with the head %s', (state, sequence, head) => {
  expect(stateOf({ sequence, head }, verified)).toBe(state);
});

it('knows nothing of any entry before the chain was verified', () => {
  expect(stateOf({ sequence: 1, head: 'h1' }, NOTHING_VERIFIED)).toBe('open');
});
