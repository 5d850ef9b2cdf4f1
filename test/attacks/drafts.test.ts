import { valueDigest } from '@countersign/protocol';
import type { Client } from '../support/client.js';
import { operatorOf, personOf } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { newRoute } from '../support/own-route.js';
import { executionInput, reviewInput } from '../support/requests.js';

// A producer does not learn an answer that a reviewer is about to sign, and so cannot withdraw the request before a "no" is
// on record (protocol R39).

let instance: Instance;
let operator: Client;
let ruth: Client;
let ravi: Client;
let reviewers: [string, string];

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  operator = operatorOf(demo);
  const [, ruthId = '', raviId = ''] = demo.people.map(({ id }) => id);
  reviewers = [ruthId, raviId];
  [ruth, ravi] = (await Promise.all(reviewers.map((id) => personOf(demo, dataDirectory, id)))) as [
    Client,
    Client,
  ];
});
afterAll(async () => {
  await instance?.stop();
});

async function propose(by: Client, id: string, decision: string, note: string) {
  const answer = await by.post(`/v2/requests/${id}/candidates`, { response: { note }, decision });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function shownTo(client: Client, id: string) {
  const material = await client.get(`/v2/requests/${id}/material`);
  const { body } = await client.get(`/v2/requests/${id}/export`);
  return { material: material.body.candidate, export: body.material.candidate };
}

it('the owner reads no answer before it is confirmed, and then the confirmed one', async () => {
  const own = await newRoute(instance.demo, operator, reviewers);
  const filed = await own.producer.post('/v2/requests', executionInput(own.demo));
  const { id } = filed.body.request;
  const refusal = await propose(ruth, id, 'refuse', 'no');
  const draft = await propose(ravi, id, 'authorise', 'perhaps');
  expect(await shownTo(own.producer, id)).toEqual({ material: null, export: null });
  // Reviewers see their own, operators the newest.
  expect((await shownTo(ruth, id)).material).toEqual(refusal);
  expect(await shownTo(operator, id)).toEqual({ material: draft, export: draft });

  const confirmed = await ruth.post(`/v2/requests/${id}/confirm`, {
    candidate_id: refusal.id,
    candidate_digest: valueDigest(refusal),
  });
  expect(confirmed.status).toBe(200);
  // The other answer stays a draft, although it is newer.
  expect(await shownTo(own.producer, id)).toEqual({ material: refusal, export: refusal });
});

it('an owner who withdraws learns nothing about the answer', async () => {
  const own = await newRoute(instance.demo, operator, reviewers);
  const filed = await own.producer.post('/v2/requests', reviewInput(own.demo));
  const { id } = filed.body.request;
  await propose(ruth, id, 'answer', 'no');
  expect((await own.producer.post(`/v2/requests/${id}/cancel`)).status).toBe(200);
  expect(await shownTo(own.producer, id)).toEqual({ material: null, export: null });
});
