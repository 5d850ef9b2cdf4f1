import type { NotificationPreferences } from '@countersign/protocol';
import { digestMessage } from './digest.js';

const english: NotificationPreferences = {
  mails: 'digest',
  digest_hours: [8],
  quiet: null,
  time_zone: 'Europe/Berlin',
  language: 'en',
};
const item = {
  id: '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  summary: 'Pay <b>17</b>\r\nDeadline: never\u202e',
  deadline: '2026-05-01T09:00:00.000+00:00',
};
const messageOf = (many: number, more = false, changes: Partial<NotificationPreferences> = {}) =>
  digestMessage(
    { many, more, items: [item] },
    { ...english, ...changes },
    'https://review.example',
  );

test('counts what waits and links to each, with a summary that stays in its line', () => {
  const { subject, text, html } = messageOf(1);
  expect(subject).toBe('One review is waiting for you');
  expect(text).toBe(`One review is waiting for you.

Pay <b>17</b>\ufffd\ufffdDeadline: never\ufffd
Deadline: Friday, 1 May 2026 at 11:00 (Europe/Berlin)
https://review.example/review/0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d

Inbox:
https://review.example/inbox

This mail cannot approve anything: decisions are made on the page, after login.
`);
  expect(html).toContain('Pay &lt;b&gt;17&lt;/b&gt;');
  expect(html).not.toContain('<b>');
});

test('says how many it does not list, and that it may not have counted all', () => {
  expect(messageOf(1200).subject).toBe('1,200 reviews are waiting for you');
  expect(messageOf(1200).text).toContain('And 1,199 more in the inbox:\n');
  expect(messageOf(1000, true).subject).toBe('At least 1,000 reviews are waiting for you');
});

test('is in the language and the time zone of its reader', () => {
  const { subject, text, html } = messageOf(2, false, { language: 'de', time_zone: 'UTC' });
  expect(subject).toBe('2 Prüfungen warten auf Sie');
  expect(text).toContain('Frist: Freitag, 1. Mai 2026 um 09:00 (UTC)');
  expect(html).toContain('<html lang="de">');
});
