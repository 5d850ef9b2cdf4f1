import { retryAfterMs } from './sender.js';

const NOW = Date.UTC(2026, 4, 1, 9);

test.each([
  [undefined, null],
  ['120', 120_000],
  ['0', 0],
  ['Fri, 01 May 2026 09:05:00 GMT', 300_000],
  ['Fri, 01 May 2026 08:00:00 GMT', 0],
  ['soon', null],
  ['1e9999', null],
  ['', null],
])('reads Retry-After: %s', (text, expected) => {
  expect(retryAfterMs(text, NOW)).toBe(expected);
});
