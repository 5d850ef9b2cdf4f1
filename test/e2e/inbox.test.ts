import type { InboxPage } from '@countersign/protocol';
import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, reviewInput } from '../support/requests.js';

// The one read of the inbox beside the 29 operations (decisions/0025): its callers, its words, and how it waits. Its content
// is tested at the database (test/database/inbox.test.ts).

const INBOX = '/inbox/data';

let instance: Instance;
let producer: Client;
let ruth: Client;
let ravi: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  ruth = await personOf(demo, dataDirectory, 'reviewer-1');
  ravi = await personOf(demo, dataDirectory, 'reviewer-2');
});
afterAll(() => instance?.stop());

const inbox = (query = '', headers: Record<string, string> = {}): Promise<Answer<InboxPage>> =>
  ruth.get(`${INBOX}${query}`, { headers });

async function create(summary: string): Promise<string> {
  const { status, body } = await producer.post(
    '/v2/requests',
    reviewInput(instance.demo, { summary }),
  );
  expect(status).toBe(201);
  return body.request.id as string;
}

it('is for people, each with what they may decide', async () => {
  const { demo, dataDirectory } = instance;
  const id = await create('Only for reviewers');
  const owner = await personOf(demo, dataDirectory, 'owner-1');
  const publisher = new Client(demo.origin, { token: demo.publisher.token });
  const callers = [
    new Client(demo.origin, null),
    producer,
    publisher,
    operatorOf(demo),
    ruth,
    ravi,
    owner,
  ];
  const answers = await Promise.all(callers.map((client) => client.get(INBOX)));
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
    [401, 'unauthenticated'],
    [403, 'human_required'],
    [403, 'human_required'],
    [403, 'human_required'],
    [200, undefined],
    [200, undefined],
    [200, undefined],
  ]);
  const shown = answers
    .slice(4)
    .map(({ body }) => (body as InboxPage).items.some((item) => item.id === id));
  expect(shown).toEqual([true, true, false]);
  expect(answers.at(-1)?.body).toMatchObject({ reviews: false, waiting: 0, items: [] });
});

it('shows a decision with its decider and outcome', async () => {
  const id = await create('To be decided');
  expect((await decide(ravi, id, 'approve')).status).toBe(200);
  const { body } = await inbox('?tab=decided&decision=approve&by=others');
  expect(body.items.find((item) => item.id === id)).toMatchObject({
    decision: 'confirmed',
    outcome: { decision: 'approve', reviewer: { id: 'reviewer-2', name: 'Ravi Reviewer' } },
  });
  const { body: mine } = await inbox('?tab=decided&by=me');
  expect(mine.items.map((item) => item.id)).not.toContain(id);
});

it('finds words that are sent beside the address', async () => {
  const id = await create('Grüße an alle Ämter');
  const { body } = await inbox('', { 'x-search': encodeURIComponent('ÄMTER grüße') });
  expect(body.items.map((item) => item.id)).toEqual([id]);
});

it.each([
  ['?tab=all', {}, 'invalid_state', /“tab” is one of mine, waiting/],
  ['?sort=up', {}, 'invalid_state', /“sort” is one of deadline/],
  ['?tab=decided&decision=yes', {}, 'invalid_state', /“decision”/],
  ['?tab=decided&by=them', {}, 'invalid_state', /“by” is one of me, others/],
  ['?limit=0', {}, 'invalid_offset', /“limit” is a whole number from 1 to 1000/],
  ['?limit=1001', {}, 'invalid_offset', /“limit”/],
  ['?tab=decided&after=x', {}, 'invalid_offset', /“after” is the “next” of the page before/],
  ['?tab=ended&after=1/x', {}, 'invalid_offset', /“after”/],
  ['?route=a%20b', {}, 'invalid_offset', /“route” is malformed/],
  ['?tab=mine&tab=mine', {}, 'invalid_offset', /“tab”/],
  ['', { 'x-search': '%E0%A4%A' }, 'invalid_offset', /percent-encoded/],
  ['', { 'x-search': 'a'.repeat(201) }, 'invalid_offset', /200 characters/],
  ['', { 'x-search': 'a%20'.repeat(9) }, 'invalid_offset', /8 words/],
])('refuses %s %j', async (query, headers, code, advice) => {
  const { status, body } = await ruth.get(INBOX + query, {
    headers: headers as Record<string, string>,
  });
  expect([status, body.error]).toEqual([400, code]);
  expect(body.detail).toMatch(advice);
});

it('has a tag, and is held until something is new', async () => {
  const first = await inbox();
  const tag = first.headers.get('etag') as string;
  const known = await inbox('', { 'if-none-match': tag });
  expect([known.status, known.text]).toEqual([304, '']);
  const held = inbox('', { 'if-none-match': tag, prefer: 'wait=30' });
  const id = await create('Comes while a call is held');
  const { status, headers, body } = await held;
  expect([status, headers.get('preference-applied')]).toEqual([200, 'wait=30']);
  expect(body.items.map((item) => item.id)).toContain(id);
});
