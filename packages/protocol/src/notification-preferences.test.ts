import { Refusal } from './errors.js';
import { nextDigest, quietUntil, readNotificationPreferences } from './notification-preferences.js';

const GOOD = {
  mails: 'digest',
  digest_hours: [8, 16],
  quiet: { from: '22:00', until: '06:30' },
  time_zone: 'Europe/Berlin',
  language: 'de',
};

const at = (time: string) => Date.parse(time);
const next = (time: string, changes: object = {}) =>
  new Date(
    nextDigest(readNotificationPreferences({ ...GOOD, ...changes }), at(time)),
  ).toISOString();
const quiet = (time: string, changes: object = {}) => {
  const end = quietUntil(readNotificationPreferences({ ...GOOD, ...changes }), at(time));
  return end === null ? null : new Date(end).toISOString();
};

test('takes preferences as they are', () => {
  expect(readNotificationPreferences(GOOD)).toEqual(GOOD);
  const plain = { ...GOOD, mails: 'at_once', digest_hours: [], quiet: null, time_zone: 'UTC' };
  expect(readNotificationPreferences(plain)).toEqual(plain);
  // Hours of a choice that is not made are kept for the next time.
  expect(() =>
    readNotificationPreferences({ ...GOOD, mails: 'none', digest_hours: [3] }),
  ).not.toThrow();
});

test.each([
  ['no object', null],
  ['a list', []],
  ['an unknown member', { ...GOOD, more: 1 }],
  ['a missing member', { ...GOOD, quiet: undefined, more: 1 }],
  ['an unknown choice', { ...GOOD, mails: 'sometimes' }],
  ['a digest without an hour', { ...GOOD, digest_hours: [] }],
  ['an hour too late', { ...GOOD, digest_hours: [24] }],
  ['half an hour', { ...GOOD, digest_hours: [8.5] }],
  ['an hour twice', { ...GOOD, digest_hours: [8, 8] }],
  ['hours out of order', { ...GOOD, digest_hours: [16, 8] }],
  ['a digest at a quiet hour', { ...GOOD, digest_hours: [6] }],
  ['quiet hours without an end', { ...GOOD, quiet: { from: '22:00' } }],
  ['quiet hours of the whole day', { ...GOOD, quiet: { from: '22:00', until: '22:00' } }],
  ['a time that no clock shows', { ...GOOD, quiet: { from: '24:00', until: '06:00' } }],
  ['an unknown zone', { ...GOOD, time_zone: 'Europe/Nowhere' }],
  ['an offset for a zone', { ...GOOD, time_zone: '+01:00' }],
  ['an unknown language', { ...GOOD, language: 'fr' }],
])('refuses %s', (_what, value) => {
  const refused = () => readNotificationPreferences(value);
  expect(refused).toThrow(Refusal);
  expect(refused).toThrow('invalid_notifications');
});

test('a digest comes at the next chosen hour of the zone', () => {
  expect(next('2026-11-25T06:59:59.999Z')).toBe('2026-11-25T07:00:00.000Z');
  expect(next('2026-11-25T07:00:00.000Z')).toBe('2026-11-25T15:00:00.000Z');
  expect(next('2026-11-25T15:00:00.001Z')).toBe('2026-11-26T07:00:00.000Z');
  expect(next('2026-07-25T05:30:00.000Z')).toBe('2026-07-25T06:00:00.000Z');
  expect(next('2026-11-25T01:40:00.000Z', { time_zone: 'Asia/Kathmandu' })).toBe(
    '2026-11-25T02:15:00.000Z',
  );
});

test('there is no next digest without an hour', () => {
  const choice = readNotificationPreferences({ ...GOOD, mails: 'none', digest_hours: [] });
  expect(() => nextDigest(choice, at('2026-11-25T06:00:00.000Z'))).toThrow('no hour');
});

test('a digest comes once on days on which the clock is set', () => {
  const night = { digest_hours: [2], quiet: null };
  expect(next('2026-03-29T00:00:00.000Z', night)).toBe('2026-03-29T01:00:00.000Z');
  expect(next('2026-03-29T01:00:00.000Z', night)).toBe('2026-03-30T00:00:00.000Z');
  expect(next('2026-10-24T23:00:00.000Z', night)).toBe('2026-10-25T00:00:00.000Z');
  expect(next('2026-10-25T00:00:00.000Z', night)).toBe('2026-10-26T01:00:00.000Z');
});

test('quiet hours end at their time in the zone', () => {
  expect(quiet('2026-11-25T20:59:59.999Z')).toBeNull();
  expect(quiet('2026-11-25T21:00:00.000Z')).toBe('2026-11-26T05:30:00.000Z');
  expect(quiet('2026-11-26T05:29:59.999Z')).toBe('2026-11-26T05:30:00.000Z');
  expect(quiet('2026-11-26T05:30:00.000Z')).toBeNull();
  const noon = { quiet: { from: '12:00', until: '13:00' } };
  expect(quiet('2026-11-25T11:30:00.000Z', noon)).toBe('2026-11-25T12:00:00.000Z');
  expect(quiet('2026-11-25T10:30:00.000Z', noon)).toBeNull();
  expect(quiet('2026-11-25T23:30:00.000Z', { quiet: null })).toBeNull();
});

test('quiet hours end at their time on nights on which the clock is set', () => {
  expect(quiet('2026-03-28T22:00:00.000Z')).toBe('2026-03-29T04:30:00.000Z');
  expect(quiet('2026-10-24T22:00:00.000Z')).toBe('2026-10-25T05:30:00.000Z');
});
