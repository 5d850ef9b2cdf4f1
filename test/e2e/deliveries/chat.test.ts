import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../support/client.js';
import { decide, reviewInput, until } from '../../support/requests.js';
import { startDeliveryFixture } from './support/fixture.js';
import type { DeliveryFixture } from './support/fixture.js';
import type { Received } from './support/receiver.js';

const SECRET = `T00-${randomUUID()}`;
const TEAMS = `/workflows/${randomUUID()}/triggers/manual/paths/invoke?api-version=2016-06-01&sig=${SECRET}`;
const SLACK = `/services/${SECRET}`;
const ELSEWHERE = `/services/elsewhere-${SECRET}`;

/** Channels of Slack and Teams as they are told of reviews; their servers are a real HTTPS server here. */
let fixture: DeliveryFixture;
let reviewer: Client;

beforeAll(async () => {
  fixture = await startDeliveryFixture({
    split: false,
    env: (receiver) => ({
      CHAT_WEBHOOKS: JSON.stringify([
        { name: 'ops', kind: 'slack', tenant: 'demo', url: receiver.url(SLACK) },
        {
          name: 'team',
          kind: 'teams',
          tenant: 'demo',
          routes: ['review'],
          url: receiver.url(TEAMS),
          language: 'de',
        },
        { name: 'ops', kind: 'slack', tenant: 'other', url: receiver.url(ELSEWHERE) },
      ]),
    }),
  });
  reviewer = await fixture.person('reviewer-1');
});
afterAll(() => fixture?.close());

beforeEach(async () => {
  bothAnswer(200);
  await untilTold();
  await fixture.database.query('DELETE FROM chat_notice');
  fixture.receiver.received.length = 0;
});

const newRequest = async (summary: string) => {
  const created = await fixture.producer.post(
    '/v2/requests',
    reviewInput(fixture.demo, { summary }),
  );
  expect(created.status).toBe(201);
  return created.body.request.id as string;
};
/** With the secret in the answer, too, which nobody reads. */
const bothAnswer = (status: number) => {
  for (const path of [SLACK, TEAMS.split('?')[0] as string]) {
    fixture.receiver.answer(path, (response) => void response.writeHead(status).end(SECRET));
  }
};
const at = (path: string) => fixture.receiver.at(path.split('?')[0] as string);
const bodyOf = ({ body }: Received) => JSON.parse(body.toString('utf8'));
const untilPosted = (path: string, many: number) =>
  until(
    async () => at(path),
    (found) => found.length >= many,
    30_000,
  );
const rowOf = async (channel: string) => {
  const { rows } = await fixture.database.query<{
    news: number;
    attempts: number;
    claim_id: string | null;
    waits: number | null;
  }>(
    `SELECT news, attempts, claim_id, extract(epoch FROM next_at - clock_timestamp())::float8 AS waits
     FROM chat_notice WHERE tenant = 'demo' AND channel = $1`,
    [channel],
  );
  return rows[0];
};
/** Nothing is left to be told, and nothing under way. */
const untilTold = async () => {
  await fixture.untilFollowed();
  await comeAll();
  await until(
    async () => {
      await comeAll();
      const { rows } = await fixture.database.query('SELECT 1 FROM chat_notice WHERE news > 0');
      return rows.length;
    },
    (many) => many === 0,
    30_000,
  );
};
/** As if the pause of every channel were over. */
const comeAll = () =>
  fixture.database.query(
    `UPDATE chat_notice SET next_at = clock_timestamp() WHERE claim_id IS NULL AND next_at > clock_timestamp()`,
  );

it('tells Slack in blocks and Teams in a card: numbers, kinds, a deadline and a link, and no word of a request', async () => {
  await newRequest('A secret summary <!channel> <@U1>');
  const [slack] = await untilPosted(SLACK, 1);
  const [teams] = await untilPosted(TEAMS, 1);
  const { origin } = fixture.demo;
  expect(slack).toMatchObject({ method: 'POST', path: SLACK });
  expect(slack!.headers['content-type']).toBe('application/json');
  const message = bodyOf(slack!);
  expect(Object.keys(message)).toEqual(['text', 'blocks']);
  expect(message.text).toBe('One review is waiting');
  expect(message.blocks.map(({ type }: { type: string }) => type)).toEqual([
    'header',
    'section',
    'section',
    'context',
  ]);
  expect(message.blocks[1].text).toEqual({
    type: 'plain_text',
    text: expect.stringMatching(
      /^review: 1 \(review\)\nNext deadline: \d{4}-\d\d-\d\d \d\d:\d\d UTC\nNew or reminded of since the last notice: 1$/,
    ),
    emoji: false,
  });
  expect(message.blocks[2].text).toEqual({
    type: 'mrkdwn',
    text: `<${origin}/inbox|Open the inbox>`,
    verbatim: true,
  });
  const card = bodyOf(teams!);
  expect(teams!.path).toBe(TEAMS);
  expect(card).toMatchObject({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          actions: [{ type: 'Action.OpenUrl', title: 'Eingang öffnen', url: `${origin}/inbox` }],
        },
      },
    ],
  });
  expect(teams!.body.toString()).toContain('Eine Prüfung wartet');
  for (const { body } of [slack!, teams!]) {
    expect(body.toString()).not.toMatch(/secret|channel>|U1/);
    // Nothing of it acts: a card has one action, which opens the page.
    expect(body.toString()).not.toMatch(/Action\.(Submit|Http|Execute)|"button"|action_id/);
  }
  expect(at(ELSEWHERE)).toEqual([]);
});

it('tells many reviews in one notice, and what comes meanwhile in the next', async () => {
  let release = () => {};
  fixture.receiver.answer(SLACK, async (response) => {
    await new Promise<void>((resume) => (release = resume));
    response.writeHead(200).end('ok');
  });
  await newRequest('first');
  await untilPosted(SLACK, 1);
  for (const summary of ['a', 'b', 'c']) await newRequest(summary);
  await fixture.untilFollowed();
  fixture.receiver.answer(SLACK, (response) => void response.writeHead(200).end('ok'));
  release();
  const row = await until(
    () => rowOf('ops'),
    (found) => found?.claim_id === null && found.news === 3,
  );
  expect(row!.waits).toBeGreaterThan(30);
  expect(at(SLACK)).toHaveLength(1);
  await comeAll();
  const [, second] = await untilPosted(SLACK, 2);
  expect(second!.body.toString()).toContain('since the last notice: 3');
});

it('tells nothing of reviews that are decided by then', async () => {
  bothAnswer(500);
  const ids = await Promise.all(['x', 'y'].map(newRequest));
  await until(
    () => rowOf('ops'),
    (row) => (row?.attempts ?? 0) > 0 && row?.claim_id === null,
    30_000,
  );
  const { body } = await fixture.producer.get('/v2/requests?state=pending');
  for (const { id } of body.items as { id: string }[]) {
    if (ids.includes(id)) await decide(reviewer, id, 'answer');
    else await fixture.producer.post(`/v2/requests/${id}/cancel`, {});
  }
  bothAnswer(200);
  const before = at(SLACK).length;
  await untilTold();
  expect(at(SLACK)).toHaveLength(before);
});

describe('a channel that fails', () => {
  const failing = async (attempts = 1) =>
    until(
      () => rowOf('ops'),
      (row) => (row?.attempts ?? 0) >= attempts && row?.claim_id === null,
      30_000,
    );

  it('is told again, and holds up no other', async () => {
    fixture.receiver.answer(SLACK, (response) => void response.writeHead(500).end());
    await newRequest('again');
    await untilPosted(TEAMS, 1);
    const row = await failing();
    expect(row!.waits).toBeLessThan(10);
    fixture.receiver.answer(SLACK, (response) => void response.writeHead(200).end('ok'));
    await untilTold();
    expect(at(SLACK).length).toBeGreaterThan(1);
  });

  it('is left alone for as long as it asks', async () => {
    fixture.receiver.answer(
      SLACK,
      (response) => void response.writeHead(429, { 'Retry-After': '900' }).end(),
    );
    await newRequest('slowly');
    const row = await failing();
    expect(row!.waits).toBeGreaterThan(600);
    expect(row!.waits).toBeLessThan(901);
    expect(at(SLACK)).toHaveLength(1);
  });

  it('leads nowhere else by a redirect', async () => {
    fixture.receiver.answer(
      SLACK,
      (response) =>
        void response.writeHead(302, { Location: fixture.receiver.url('/caught') }).end(),
    );
    await newRequest('elsewhere');
    await failing();
    expect(fixture.receiver.at('/caught')).toEqual([]);
  });

  it('and never answers is given up after the deadline', async () => {
    const held: (() => void)[] = [];
    fixture.receiver.answer(SLACK, async (response) => {
      await new Promise<void>((resume) => held.push(resume));
      response.writeHead(200).end();
    });
    await newRequest('silence');
    await untilPosted(SLACK, 1);
    expect((await failing())!.news).toBe(1);
    for (const release of held) release();
  });

  it('is given up after a day', async () => {
    fixture.receiver.answer(SLACK, (response) => void response.writeHead(404).end());
    await newRequest('too old');
    await failing();
    await fixture.database.query(
      `UPDATE chat_notice SET since = since - interval '25 hours', next_at = clock_timestamp() WHERE channel = 'ops'`,
    );
    await until(
      () => rowOf('ops'),
      (row) => row?.news === 0 && row.waits === null,
      30_000,
    );
  });
});

it('the address of a channel is in no log, row, job, metric or answer', async () => {
  bothAnswer(500);
  const id = await newRequest('private');
  await until(
    () => rowOf('team'),
    (row) => (row?.attempts ?? 0) > 0 && row?.claim_id === null,
    30_000,
  );
  const { body } = await fixture.producer.get(`/v2/requests/${id}`);
  expect(body.delivery.map(({ kind }: { kind: string }) => kind)).not.toContain('chat');
  const { rows } = await fixture.database.query<{ found: string }>(
    `SELECT table_name AS found FROM information_schema.tables t
     WHERE table_schema IN ('public', 'bullmq') AND table_type = 'BASE TABLE'
       AND query_to_xml(format('SELECT * FROM %I.%I', table_schema, table_name), true, false, '')::text LIKE $1`,
    [`%${SECRET}%`],
  );
  expect(rows).toEqual([]);
  const logs = join(fixture.instance.dataDirectory, 'logs');
  const logged = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
  expect(logged.join()).toContain('"channel":"team"');
  expect([...logged, fixture.instance.output()].join()).not.toContain(SECRET);
});
