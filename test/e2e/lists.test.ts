import { validate } from '@countersign/protocol';
import type { Client } from '../support/client.js';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import {
  decide,
  executionBinding,
  executionInput,
  reviewInput,
  until,
} from '../support/requests.js';

let instance: Instance;
let producer: Client;
let operator: Client;
let owner: Client;
let reviewer: Client;
/** In the order of their creation. */
const ids: string[] = [];

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  operator = operatorOf(demo);
  owner = await personOf(demo, dataDirectory, demo.people[0]!.id);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  for (let n = 0; n < 105; n += 1) {
    const created = await producer.post(
      '/v2/requests',
      reviewInput(demo, { summary: `Request ${n}` }),
    );
    ids.push(created.body.request.id);
  }
});
afterAll(async () => {
  await instance?.stop();
});

const newestFirst = (from: number, to: number) => ids.slice(from, to).reverse();
const idsOf = (answer: { body: any }) => answer.body.items.map((item: any) => item.id);

it.each([
  ['its producer', () => producer],
  ['its reviewer', () => reviewer],
  ['the operator', () => operator],
])('gives %s the newest 50 and where the next page starts', async (_who, client) => {
  const first = await client().get('/v2/requests');
  expect([first.status, validate('RequestList', first.body)]).toEqual([200, true]);
  expect(idsOf(first)).toEqual(newestFirst(55, 105));
  expect(first.body.next_offset).toBe(50);
  const last = await client().get('/v2/requests?offset=100');
  expect([idsOf(last), last.body.next_offset]).toEqual([newestFirst(0, 5), null]);
  const beyond = await client().get('/v2/requests?offset=100000');
  expect(beyond.body).toEqual({ items: [], next_offset: null });
});

it('lists nothing to a person without routes or requests', async () => {
  expect((await owner.get('/v2/requests')).body).toEqual({ items: [], next_offset: null });
});

it('filters by effective state, and the empty value is no filter (R13)', async () => {
  const { demo } = instance;
  await decide(reviewer, ids[0]!, 'approve');
  await producer.post(`/v2/requests/${ids[1]}/cancel`);
  await producer.post(`/v2/requests/${ids[2]}/supersede`, reviewInput(demo, { summary: 'Next' }));
  const short = await producer.post('/v2/requests', reviewInput(demo, { review_seconds: 1 }));
  const expired = short.body.request.id;
  await until(
    () => producer.get('/v2/requests?state=expired'),
    (answer) => idsOf(answer).includes(expired),
  );
  const one = async (state: string) => idsOf(await producer.get(`/v2/requests?state=${state}`));
  expect(await one('confirmed')).toEqual([ids[0]]);
  expect(await one('cancelled')).toEqual([ids[1]]);
  expect(await one('superseded')).toEqual([ids[2]]);
  expect(await one('expired')).toEqual([expired]);
  expect(await one('pending')).not.toContain(expired);
  const all = await producer.get('/v2/requests?state=');
  expect(idsOf(all)).toHaveLength(50);
  expect(all.body.items.find((item: any) => item.id === expired).decision).toBe('expired');
});

it('shows the holder of a review, until the lease has lapsed', async () => {
  const id = ids[104]!;
  const lease = await reviewer.post(`/v2/requests/${id}/assignment`);
  const { body } = await producer.get('/v2/requests?state=pending');
  expect(body.items.find((item: any) => item.id === id).assignment).toEqual(lease.body);
});

it.each([
  ['offset=-1', 'invalid_offset'],
  ['offset=1e3', 'invalid_offset'],
  ['offset=100001', 'invalid_offset'],
  ['offset=1&offset=2', 'invalid_offset'],
  ['state=unknown', 'invalid_state'],
  ['state=PENDING', 'invalid_state'],
])('refuses ?%s', async (query, code) => {
  const answer = await producer.get(`/v2/requests?${query}`);
  expect([answer.status, answer.body.error]).toEqual([400, code]);
});

it('gives an owner their requests of one action occurrence, and filters for no one else', async () => {
  const { demo } = instance;
  const execution = executionBinding();
  const input = executionInput(demo, { execution });
  const first = (await producer.post('/v2/requests', input)).body.request.id;
  const second = (await producer.post(`/v2/requests/${first}/supersede`, input)).body.request.id;
  const query = `/v2/requests?occurrence=${encodeURIComponent(execution.action_occurrence_id)}`;

  const found = await producer.get(query);
  expect([validate('RequestList', found.body), idsOf(found)]).toEqual([true, [second, first]]);
  expect(found.body.next_offset).toBeNull();
  expect(idsOf(await producer.get(`${query}&state=superseded`))).toEqual([first]);
  expect(idsOf(await producer.get(`${query}&offset=1`))).toEqual([first]);
  expect((await producer.get(`${query}&state=unknown`)).status).toBe(400);
  // A reviewer of the route owns none of them.
  expect(idsOf(await reviewer.get(query))).toEqual([]);

  const all = idsOf(await producer.get('/v2/requests'));
  for (const other of ['', 'a%20b', 'x'.repeat(161), 'one&occurrence=two'])
    expect(idsOf(await producer.get(`/v2/requests?occurrence=${other}`))).toEqual(all);
  expect(idsOf(await operator.get(query))).toEqual(idsOf(await operator.get('/v2/requests')));
});
