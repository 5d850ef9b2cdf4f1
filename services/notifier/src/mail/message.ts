import type { Delivery } from '../deliveries/delivery.js';
import { escaped, oneLine } from './plain.js';
import { wordsFor } from './texts.js';

export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The text of a mail about an event (protocol §11.6): a link, and never a decision. */
export function mailMessage(delivery: Delivery, origin: string): MailMessage {
  if (delivery.event === null) throw new TypeError('the event is gone');
  const { reason, deadline } = delivery.event.payload;
  const { language, texts, time } = wordsFor(delivery.preferences);
  const subject = texts.subjects[reason] ?? texts.changed;
  const link = `${origin}/review/${delivery.requestId}`;
  const facts: [string, string][] = [
    [texts.request, delivery.requestId],
    [texts.summary, oneLine(delivery.summary)],
    [texts.deadline, time(deadline)],
  ];
  const text = [
    `${subject}.`,
    '',
    ...facts.map(([name, value]) => `${name}: ${value}`),
    '',
    link,
    '',
    texts.note,
    '',
  ].join('\n');
  const rows = facts.map(
    ([name, value]) => `<tr><th align="left">${name}</th><td>${escaped(value)}</td></tr>`,
  );
  const html = htmlPage(language, subject, [
    `<p>${subject}.</p>`,
    `<table>${rows.join('')}</table>`,
    `<p><a href="${escaped(link)}">${escaped(link)}</a></p>`,
    `<p>${texts.note}</p>`,
  ]);
  return { subject, text, html };
}

export function htmlPage(language: string, title: string, parts: readonly string[]): string {
  return [
    '<!doctype html>',
    `<html lang="${language}">`,
    `<head><meta charset="utf-8"><title>${title}</title></head>`,
    '<body>',
    ...parts,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
