import type { ChatChannel } from './channel.js';
import { channelsFor } from './channel.js';
import type { ChatNews } from './message.js';
import { chatMessage, slackEscaped } from './message.js';

const ORIGIN = 'https://review.example';
const channel: ChatChannel = {
  name: 'ops',
  kind: 'slack',
  tenant: 'acme',
  routes: null,
  url: 'https://hooks.example/services/T/B/secret',
  language: 'en',
};
const news: ChatNews = {
  news: 3,
  waiting: [
    { route: 'payments', purpose: 'authorise_execution', many: 1200 },
    { route: 'press', purpose: 'review', many: 1 },
  ],
  more: false,
  nextDeadline: '2026-05-01T09:00:00.000Z',
};
const hostile: ChatNews = {
  ...news,
  waiting: [{ route: '<!channel> [x](https://evil.example) *b*', purpose: '<@U1>', many: 1 }],
};

interface Slack {
  readonly text: string;
  readonly blocks: readonly {
    readonly text?: { readonly type: string; readonly text: string };
  }[];
}
const slackOf = (of: ChatNews, changes: Partial<ChatChannel> = {}) =>
  JSON.parse(chatMessage({ ...channel, ...changes }, of, ORIGIN)) as Slack;
const teamsOf = (of: ChatNews, changes: Partial<ChatChannel> = {}) =>
  chatMessage({ ...channel, kind: 'teams', ...changes }, of, ORIGIN);

test('says how much waits, until when, and where', () => {
  const { text, blocks } = slackOf(news);
  expect(text).toBe('1,201 reviews are waiting');
  expect(blocks[1]?.text?.text).toBe(
    [
      'payments: 1,200 (authorisation of an execution)',
      'press: 1 (review)',
      'Next deadline: 2026-05-01 09:00 UTC',
      'New or reminded of since the last notice: 3',
    ].join('\n'),
  );
  expect(blocks[2]?.text?.text).toBe('<https://review.example/inbox|Open the inbox>');
  expect(slackOf({ ...news, more: true }).text).toBe('At least 1,201 reviews are waiting');
  expect(slackOf(news, { language: 'de' }).text).toBe('1.201 Prüfungen warten');
});

test('lists ten routes and counts the others', () => {
  const waiting = Array.from({ length: 12 }, (_, index) => {
    return { route: `r${index}`, purpose: 'review', many: 2 };
  });
  const lines = slackOf({ ...news, waiting }).blocks[1]?.text?.text.split('\n') ?? [];
  expect(lines.slice(9, 11)).toEqual(['r9: 2 (review)', 'and 4 more']);
});

test('a name makes no mention, link or command in Slack', () => {
  const { text, blocks } = slackOf(hostile);
  expect(text).toBe('One review is waiting');
  for (const block of blocks.filter((each) => each.text?.text.includes('channel'))) {
    expect(block.text?.type).toBe('plain_text');
  }
  const marked = blocks.filter((each) => each.text?.type === 'mrkdwn');
  expect(marked.map((each) => each.text?.text)).toEqual([
    '<https://review.example/inbox|Open the inbox>',
  ]);
  expect(slackEscaped('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
});

test('a name is plain text in Teams, and the only action opens the page', () => {
  const card = JSON.parse(teamsOf(hostile)) as {
    attachments: {
      content: {
        body: { type: string; inlines: { type: string; text: string }[] }[];
        actions: unknown[];
      };
    }[];
  };
  const { body, actions } = card.attachments[0]!.content;
  expect(new Set(body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
  expect(body[1]?.inlines[0]).toEqual({
    type: 'TextRun',
    text: '<!channel> [x](https://evil.example) *b*: 1 (<@U1>)',
  });
  expect(actions).toEqual([
    { type: 'Action.OpenUrl', title: 'Open the inbox', url: 'https://review.example/inbox' },
  ]);
});

test('the address of the channel is no part of its message', () => {
  expect([chatMessage(channel, news, ORIGIN), teamsOf(news)].join()).not.toContain('hooks.example');
});

test('a route leads to the channels of its tenant that name it, or all', () => {
  const all = [
    channel,
    { ...channel, name: 'payments', routes: ['payments'] },
    { ...channel, name: 'foreign', tenant: 'other' },
  ];
  const names = (route: string) => channelsFor(all, 'acme', route).map(({ name }) => name);
  expect(names('payments')).toEqual(['ops', 'payments']);
  expect(names('press')).toEqual(['ops']);
});
