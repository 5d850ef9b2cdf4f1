import type { NotificationPreferences } from '@countersign/protocol';
import type { Delivery } from '../deliveries/delivery.js';
import { mailMessage } from './message.js';

const GERMAN = {
  mails: 'at_once',
  digest_hours: [],
  quiet: null,
  time_zone: 'Europe/Berlin',
  language: 'de',
} as const;

function messageOf(
  reason: string,
  summary = 'Pay invoice 17',
  preferences: NotificationPreferences | null = null,
) {
  const payload = { reason, deadline: '2026-05-01T09:00:00.000Z' };
  const delivery = {
    requestId: '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
    summary,
    event: { payload },
    preferences,
  };
  return mailMessage(delivery as unknown as Delivery, 'https://review.example');
}

it('names its subject, its deadline and its address', () => {
  expect(messageOf('created').text).toBe(`A review is waiting for you.

Request: 0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d
Summary: Pay invoice 17
Deadline: 2026-05-01T09:00:00.000Z

https://review.example/review/0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d

This mail cannot approve anything: decisions are made on the page, after login.
`);
});

it('is in the language and the time zone that its reader chose', () => {
  const { subject, text, html } = messageOf('created', 'Pay invoice 17', GERMAN);
  expect(subject).toBe('Eine Prüfung wartet auf Sie');
  expect(text).toContain('Frist: Freitag, 1. Mai 2026 um 11:00 (Europe/Berlin)\n');
  expect(text).toContain('Mit dieser E-Mail kann nichts genehmigt werden');
  expect(html).toContain('<html lang="de">');
});

it('has a subject for each occasion, without a word of the producer', () => {
  const reasons = ['created', 'reminder', 'decision', 'anchor_accepted', 'material_deleted'];
  const subjects = reasons.map((reason) => messageOf(reason).subject);
  expect(new Set(subjects).size).toBe(reasons.length);
  for (const subject of subjects) expect(subject).not.toContain('invoice');
});

it('makes no markup of a producer’s text', () => {
  const { html } = messageOf('created', `<img src=x onerror="a('b')"> & more`);
  expect(html).toContain('&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt; &amp; more');
  expect(html).not.toContain('<img');
});

it('keeps a summary in its line and marks invisible characters', () => {
  const { text, html } = messageOf('created', 'a\r\nDeadline: never\u2028\u202eb\u0000\ud800');
  expect(text).toContain('Summary: a\ufffd\ufffdDeadline: never\ufffd\ufffdb\ufffd\ufffd\n');
  expect(text.match(/^Deadline: /gm)).toHaveLength(1);
  expect(html).not.toMatch(/[\u2028\u202e\r]/);
});
