import type { MailLanguage } from '@countersign/protocol';
import type { ChatChannel } from './channel.js';

/** What a channel is told: numbers, kinds, a time and places, and no word of a producer. */
export interface ChatNews {
  /** New reviews and reminders since the last notice. */
  readonly news: number;
  /** What waits on the channel's routes. */
  readonly waiting: readonly WaitingKind[];
  /** More wait than were counted. */
  readonly more: boolean;
  /** ISO 8601. */
  readonly nextDeadline: string;
}

export interface WaitingKind {
  readonly route: string;
  readonly purpose: string;
  readonly many: number;
}

interface ChatTexts {
  readonly title: (waiting: string, one: boolean) => string;
  readonly atLeast: (many: string) => string;
  readonly news: (many: string) => string;
  readonly line: (many: string, purpose: string, route: string) => string;
  readonly others: (many: string) => string;
  readonly purposes: Readonly<Record<string, string>>;
  readonly deadline: (time: string) => string;
  readonly link: string;
  readonly note: string;
}

const TEXTS: Readonly<Record<MailLanguage, ChatTexts>> = {
  en: {
    title: (waiting, one) => (one ? 'One review is waiting' : `${waiting} reviews are waiting`),
    atLeast: (many) => `At least ${many}`,
    news: (many) => `New or reminded of since the last notice: ${many}`,
    line: (many, purpose, route) => `${route}: ${many} (${purpose})`,
    others: (many) => `and ${many} more`,
    purposes: { review: 'review', authorise_execution: 'authorisation of an execution' },
    deadline: (time) => `Next deadline: ${time} UTC`,
    link: 'Open the inbox',
    note: 'Nothing can be decided here: decisions are made on the page, after login.',
  },
  de: {
    title: (waiting, one) => (one ? 'Eine Prüfung wartet' : `${waiting} Prüfungen warten`),
    atLeast: (many) => `Mindestens ${many}`,
    news: (many) => `Neu oder erinnert seit der letzten Nachricht: ${many}`,
    line: (many, purpose, route) => `${route}: ${many} (${purpose})`,
    others: (many) => `und ${many} weitere`,
    purposes: { review: 'Prüfung', authorise_execution: 'Genehmigung einer Ausführung' },
    deadline: (time) => `Nächste Frist: ${time} UTC`,
    link: 'Eingang öffnen',
    note: 'Hier kann nichts entschieden werden: Entschieden wird auf der Seite, nach der Anmeldung.',
  },
};

/** Lines of routes in one notice. */
const MOST_LINES = 10;

/** The body of one notice: a link, and never a control that decides. */
export function chatMessage(channel: ChatChannel, news: ChatNews, origin: string): string {
  const lines = linesOf(channel.language, news);
  const link = { text: TEXTS[channel.language].link, url: `${origin}/inbox` };
  return JSON.stringify(channel.kind === 'slack' ? slack(lines, link) : teams(lines, link));
}

interface Lines {
  readonly title: string;
  readonly facts: readonly string[];
  readonly note: string;
}

interface Link {
  readonly text: string;
  readonly url: string;
}

function linesOf(language: MailLanguage, { news, waiting, more, nextDeadline }: ChatNews): Lines {
  const texts = TEXTS[language];
  const number = (value: number) => value.toLocaleString(language === 'de' ? 'de-DE' : 'en-GB');
  const all = waiting.reduce((sum, { many }) => sum + many, 0);
  const shown = waiting.slice(0, MOST_LINES);
  const left = all - shown.reduce((sum, { many }) => sum + many, 0);
  const title = texts.title(more ? texts.atLeast(number(all)) : number(all), all === 1 && !more);
  return {
    title,
    facts: [
      ...shown.map(({ route, purpose, many }) =>
        texts.line(number(many), texts.purposes[purpose] ?? purpose, route),
      ),
      ...(left > 0 ? [texts.others(number(left))] : []),
      texts.deadline(nextDeadline.slice(0, 16).replace('T', ' ')),
      texts.news(number(news)),
    ],
    note: texts.note,
  };
}

/**
 * Block Kit. Names stand in `plain_text`, where Slack makes no mention and no link; the link is ours. `text` is what
 * notifications show, and is read as mrkdwn.
 */
function slack({ title, facts, note }: Lines, link: Link) {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  return {
    text: slackEscaped(title),
    blocks: [
      { type: 'header', text: plain(title) },
      { type: 'section', text: plain(facts.join('\n')) },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `<${link.url}|${slackEscaped(link.text)}>`, verbatim: true },
      },
      { type: 'context', elements: [plain(note)] },
    ],
  };
}

/** The three characters that begin links, mentions and commands such as `<!channel>`. */
export function slackEscaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * An Adaptive Card in the message of a Workflows webhook. Text runs know no Markdown, and nobody is mentioned without an
 * entity for it.
 */
function teams({ title, facts, note }: Lines, link: Link) {
  const text = (words: string, look: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: words, ...look }],
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          fallbackText: title,
          body: [
            text(title, { size: 'Large', weight: 'Bolder' }),
            ...facts.map((fact) => text(fact)),
            text(note, { isSubtle: true, size: 'Small' }),
          ],
          actions: [{ type: 'Action.OpenUrl', title: link.text, url: link.url }],
        },
      },
    ],
  };
}
