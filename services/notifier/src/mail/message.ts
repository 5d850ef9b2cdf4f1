import type { Delivery } from '../deliveries/delivery.js';

export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const SUBJECTS: Readonly<Record<string, string>> = {
  created: 'A review is waiting for you',
  reminder: 'Reminder: a review is waiting for you',
  decision: 'Your request was decided',
  anchor_accepted: 'Your request may be executed',
  material_deleted: 'The private material of your request was deleted',
  reconciliation_due: 'An execution has not told its outcome and must be reconciled',
};

const NOTE = 'This mail cannot approve anything: decisions are made on the page, after login.';

/** The text of a mail about an event (protocol §11.6): a link, and never a decision. */
export function mailMessage(delivery: Delivery, origin: string): MailMessage {
  if (delivery.event === null) throw new TypeError('the event is gone');
  const { reason, deadline } = delivery.event.payload;
  const subject = SUBJECTS[reason] ?? 'Your request has changed';
  const link = `${origin}/review/${delivery.requestId}`;
  const facts: [string, string][] = [
    ['Request', delivery.requestId],
    ['Summary', oneLine(delivery.summary)],
    ['Deadline', deadline],
  ];
  const text = [
    `${subject}.`,
    '',
    ...facts.map(([name, value]) => `${name}: ${value}`),
    '',
    link,
    '',
    NOTE,
    '',
  ].join('\n');
  const rows = facts.map(
    ([name, value]) => `<tr><th align="left">${name}</th><td>${escaped(value)}</td></tr>`,
  );
  const html = [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${subject}</title></head>`,
    '<body>',
    `<p>${subject}.</p>`,
    `<table>${rows.join('')}</table>`,
    `<p><a href="${escaped(link)}">${escaped(link)}</a></p>`,
    `<p>${NOTE}</p>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
  return { subject, text, html };
}

/** A producer's words stay in their line, with invisible characters marked: they cannot pass for ours. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
