import { newRetryBucket, pauseBefore } from './retry.js';
import type { Failure } from './retry.js';

const unsent: Failure = { kind: 'unsent' };
const refused = (retry: 'same' | 'after', retryAfter: number | null = null): Failure => ({
  kind: 'refused',
  retry,
  retryAfter,
});

describe('the pause before the next attempt', () => {
  it('is a random part of one that doubles up to 20 s', () => {
    const longest = [1, 2, 3, 4, 7, 8, 20].map((made) => pauseBefore(unsent, made, 1));
    expect(longest).toEqual([250, 500, 1_000, 2_000, 16_000, 20_000, 20_000]);
    expect(pauseBefore(unsent, 3, 0.25)).toBe(250);
    expect(pauseBefore(refused('same'), 3, 0)).toBe(0);
  });

  it('is a second at least after a refusal for a rate, and as long as Retry-After says', () => {
    expect(pauseBefore(refused('after'), 1, 0)).toBe(1_000);
    expect(pauseBefore(refused('after', 7), 1, 0)).toBe(7_000);
    expect(pauseBefore(refused('same', 3), 1, 1)).toBe(3_000);
    expect(pauseBefore({ kind: 'lost', retryAfter: 2 }, 1, 0)).toBe(2_000);
  });
});

it('repeats twenty calls at once, and then one call in ten', () => {
  const { add, take } = newRetryBucket();
  const taken = Array.from({ length: 21 }, () => take());
  expect(taken).toEqual([...Array(20).fill(true), false]);
  for (let calls = 0; calls < 9; calls += 1) add();
  expect(take()).toBe(false);
  add();
  expect([take(), take()]).toEqual([true, false]);
});
