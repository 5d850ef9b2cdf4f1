import { faultOfChoice, quietHours, unchosen } from './choice.js';

const choice = { ...unchosen('Europe/Berlin', 'de'), mails: 'digest' as const };
const night = { from: '22:00', until: '06:30' };

test('a person who never chose gets mails at once, in the language of the page where mails have it', () => {
  expect(unchosen('UTC', 'de')).toMatchObject({ mails: 'at_once', quiet: null, language: 'de' });
  expect(unchosen('UTC', 'en')).toMatchObject({ language: 'en' });
});

test('quiet hours go over midnight or not', () => {
  expect(quietHours({ ...choice, quiet: night })).toEqual([0, 1, 2, 3, 4, 5, 6, 22, 23]);
  expect(quietHours({ ...choice, quiet: { from: '12:00', until: '13:00' } })).toEqual([12]);
  expect(quietHours(choice)).toEqual([]);
});

test('says what the service would refuse', () => {
  expect(faultOfChoice(choice)).toBeNull();
  expect(faultOfChoice({ ...choice, digest_hours: [] })).toBe('no-hour');
  expect(faultOfChoice({ ...choice, digest_hours: [6], quiet: night })).toBe('quiet-hour');
  expect(faultOfChoice({ ...choice, quiet: { from: '', until: '06:00' } })).toBe('no-span');
  expect(faultOfChoice({ ...choice, quiet: { from: '06:00', until: '06:00' } })).toBe('no-span');
  expect(faultOfChoice({ ...choice, mails: 'none', digest_hours: [] })).toBeNull();
});
