import { urgency } from './urgency.js';

const MINUTE = 60_000;

it.each([
  ['calm', 60 * MINUTE],
  ['warning', 60 * MINUTE - 1],
  ['warning', 10 * MINUTE],
  ['bad', 10 * MINUTE - 1],
  ['bad', -1],
])('marks a deadline as %s with %d ms left', (mark, left) => {
  expect(urgency(left)).toBe(mark);
});
