import { fromNow, spanInBrief, spanInWords, timeLeft } from './time.js';

const minute = 60_000;
const day = 24 * 60 * minute;

test.each([
  [1_000, 'weniger als eine Minute'],
  [minute, '1 Minute'],
  [59 * minute, '59 Minuten'],
  [61 * minute, '1 Stunde 1 Minute'],
  [7.5 * 60 * minute, '7 Stunden'],
  [25 * 60 * minute, '1 Tag 1 Stunde'],
  [10 * day, '10 Tage'],
])('%d ms sind %s', (span, words) => {
  expect(spanInWords(span)).toBe(words);
});

test('behind "in", "vor" and "seit" comes the dative', () => {
  expect(fromNow(2 * day, 0)).toBe('in 2 Tagen');
  expect(fromNow(0, 10 * day)).toBe('vor 10 Tagen');
  expect(fromNow(0, 1_000)).toBe('vor weniger als einer Minute');
  expect(timeLeft(10 * day, 0)).toBe('noch 10 Tage');
  expect(timeLeft(0, 10 * day)).toBe('seit 10 Tagen vorbei');
});

test('in little room', () => {
  expect([30_000, 29 * minute, 200 * minute, 2 * day].map(spanInBrief)).toEqual([
    '< 1 Min.',
    '29 Min.',
    '3 Std. 20 Min.',
    '2 T.',
  ]);
});
