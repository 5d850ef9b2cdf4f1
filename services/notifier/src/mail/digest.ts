import type { NotificationPreferences } from '@countersign/protocol';
import type { MailMessage } from './message.js';
import { htmlPage } from './message.js';
import { escaped, oneLine } from './plain.js';
import { wordsFor } from './texts.js';

/** What waits for one reviewer. */
export interface Waiting {
  readonly many: number;
  /** More wait than were counted. */
  readonly more: boolean;
  /** Those with the next deadlines, in their order. */
  readonly items: readonly WaitingItem[];
}

export interface WaitingItem {
  readonly id: string;
  readonly summary: string;
  /** ISO 8601. */
  readonly deadline: string;
}

/** One mail about everything that waits for a reader: links, and never a decision. */
export function digestMessage(
  { many, more, items }: Waiting,
  preferences: NotificationPreferences,
  origin: string,
): MailMessage {
  const { language, texts, number, time } = wordsFor(preferences);
  const waiting = more ? texts.atLeast(number(many)) : number(many);
  const subject = many === 1 && !more ? texts.oneWaits : texts.digest(waiting);
  const left = many - items.length;
  const rest = left === 0 ? `${texts.inbox}:` : texts.others(number(left));
  const inbox = `${origin}/inbox`;
  const shown = items.map(({ id, summary, deadline }) => ({
    summary: oneLine(summary),
    deadline: `${texts.deadline}: ${time(deadline)}`,
    link: `${origin}/review/${id}`,
  }));
  const text = [
    `${subject}.`,
    '',
    ...shown.flatMap((item) => [item.summary, item.deadline, item.link, '']),
    rest,
    inbox,
    '',
    texts.note,
    '',
  ].join('\n');
  const html = htmlPage(language, subject, [
    `<p>${subject}.</p>`,
    '<ul>',
    ...shown.map(
      (item) =>
        `<li>${escaped(item.summary)}<br>${escaped(item.deadline)}<br><a href="${escaped(item.link)}">${escaped(item.link)}</a></li>`,
    ),
    '</ul>',
    `<p>${rest} <a href="${escaped(inbox)}">${escaped(inbox)}</a></p>`,
    `<p>${texts.note}</p>`,
  ]);
  return { subject, text, html };
}
