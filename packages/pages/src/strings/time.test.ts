import { fromNow, spanInBrief, spanInWords, timeLeft } from './time.js';

const minute = 60_000;

test.each([
  [1_000, 'less than a minute'],
  [minute, '1 minute'],
  [59 * minute, '59 minutes'],
  [61 * minute, '1 hour 1 minute'],
  [7.5 * 60 * minute, '7 hours'],
  [25 * 60 * minute, '1 day 1 hour'],
  [10 * 24 * 60 * minute, '10 days'],
])('%d ms are %s', (span, words) => {
  expect(spanInWords(span)).toBe(words);
});

test('a deadline is over when it is reached', () => {
  expect(timeLeft(5 * minute, 0)).toBe('5 minutes left');
  expect(timeLeft(0, 0)).toBe('over for less than a minute');
  expect(fromNow(0, 2 * minute)).toBe('2 minutes ago');
});

test.each([
  [1_000, '< 1 min'],
  [59.9 * minute, '59 min'],
  [60 * minute, '1 h'],
  [200 * minute, '3 h 20 min'],
  [49 * 60 * minute, '2 d'],
])('%d ms are %s in a narrow column', (span, words) => {
  expect(spanInBrief(span)).toBe(words);
});
