import { isDeepStrictEqual } from 'node:util';
import type { RequestHistory } from '@countersign/protocol';
import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
  until,
} from '../support/requests.js';

// The history of one request for the pages (decisions/0028).

const HISTORY = '/inbox/history';

let instance: Instance;
let producer: Client;
let ruth: Client;
let ravi: Client;
let otto: Client;
let owner: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  [ruth, ravi, owner, otto] = (await Promise.all(
    ['reviewer-1', 'reviewer-2', 'owner-1', 'otto'].map((id) => personOf(demo, dataDirectory, id)),
  )) as [Client, Client, Client, Client];
});
afterAll(() => instance?.stop());

const historyOf = (id: string, reader = ruth): Promise<Answer<RequestHistory>> =>
  reader.get(`${HISTORY}?id=${id}`);

async function create(input: Record<string, unknown>): Promise<string> {
  const { status, body } = await producer.post('/v2/requests', input);
  expect(status).toBe(201);
  return body.request.id as string;
}

const told = ({ body }: Answer<RequestHistory>) =>
  body.steps.map(({ step, by, word }) =>
    [step, by?.name ?? by?.id ?? null, word].filter(Boolean).join(' '),
  );

it('is for the people who may see the request', async () => {
  const { demo } = instance;
  const id = await create(reviewInput(demo));
  const readers = [new Client(demo.origin, null), producer, operatorOf(demo), owner, ruth, otto];
  const answers = await Promise.all(readers.map((reader) => historyOf(id, reader)));
  expect(answers.map(({ status, body }) => [status, (body as { error?: string }).error])).toEqual([
    [401, 'unauthenticated'],
    [403, 'human_required'],
    [403, 'human_required'],
    [404, 'not_found'],
    [200, undefined],
    [200, undefined],
  ]);
  const wrong = await Promise.all(
    [`${HISTORY}?id=x`, HISTORY, `${HISTORY}?id=${id}&id=${id}`].map((path) => ruth.get(path)),
  );
  expect(wrong.map(({ body }) => body.error)).toEqual(['not_found', 'not_found', 'not_found']);
});

it('tells each step of an execution, with names', async () => {
  const { demo } = instance;
  const ready = await authorisedRequest(demo, producer, ravi);
  const { id } = ready.body.request;
  const claimed = await producer.post(`/v2/requests/${id}/claims`, claimInput(ready, 'executor/7'));
  expect(claimed.status).toBe(201);
  const answer = await historyOf(id);
  const { id: producerId } = demo.producer;
  expect(answer.body.producer.id).toBe(producerId);
  expect(told(answer)).toEqual([
    expect.stringContaining('asked'),
    'frozen Ravi Reviewer',
    'decided Ravi Reviewer authorise',
    'anchor_accepted',
    'claimed executor/7',
  ]);
  const times = answer.body.steps.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

it('has the state as it is', async () => {
  const { demo } = instance;
  const waiting = await create(reviewInput(demo));
  const decided = await create(executionInput(demo));
  await decide(ravi, decided, 'refuse', { note: 'Not today.' });
  const gone = await create(reviewInput(demo));
  await producer.post(`/v2/requests/${gone}/cancel`, {});
  for (const id of [waiting, decided, gone]) {
    // Where it changes meanwhile, as by its anchor, they are asked again.
    const both = await until(
      async () => [await ruth.get(`/v2/requests/${id}`), await historyOf(id)] as const,
      ([{ body }, history]) => isDeepStrictEqual(body, history.body.status),
    );
    expect(both[1].body.status.request.id).toBe(id);
  }
});

it('says who has taken a review, and who froze an answer, but never which', async () => {
  const id = await create(reviewInput(instance.demo));
  await ravi.post(`/v2/requests/${id}/assignment`, {});
  const frozen = await ravi.post(`/v2/requests/${id}/candidates`, {
    response: { note: 'a secret word' },
    decision: 'reject',
  });
  expect(frozen.status).toBe(201);
  const answer = await historyOf(id);
  expect(told(answer).slice(1)).toEqual(['taken Ravi Reviewer', 'frozen Ravi Reviewer']);
  expect(answer.text).not.toMatch(/secret|reject/);
});

it('links a request with the one that replaced it, both ways', async () => {
  const { demo } = instance;
  for (const input of [reviewInput(demo), executionInput(demo)]) {
    const old = await create({ ...input, summary: 'The first try' });
    const { status, body } = await producer.post(`/v2/requests/${old}/supersede`, {
      ...input,
      summary: 'The second try',
    });
    expect(status).toBe(201);
    const { id, review } = body.request;
    const digest = review.response_schema_digest;
    const [before, after] = await Promise.all([historyOf(old), historyOf(id)]);
    expect([before.body.replaces, before.body.replaced_by]).toEqual([
      null,
      { id, summary: 'The second try', response_schema_digest: digest },
    ]);
    expect([after.body.replaces, after.body.replaced_by]).toEqual([
      { id: old, summary: 'The first try', response_schema_digest: digest },
      null,
    ]);
    expect(told(before)).toContain('supersession');
  }
});

it('shows no neighbour on a route of other reviewers', async () => {
  const { demo } = instance;
  const operator = operatorOf(demo);
  const route = `${demo.routes.review}-of-others`;
  const { body: known } = await otto.get(`/operator/data/routes?id=${demo.routes.review}`);
  const { config } = known.items[0];
  await operator.put(`/v2/admin/routes/${route}`, { ...config, reviewers: ['reviewer-2'] });
  const { body: mine } = await otto.get(`/operator/data/principals?id=${demo.producer.id}`);
  const { config: allowed } = mine.items[0];
  const saved = await operator.put(`/v2/admin/principals/${demo.producer.id}`, {
    id: demo.producer.id,
    kind: 'producer',
    config: { ...allowed, routes: [...allowed.routes, route] },
  });
  expect(saved.status).toBe(200);
  const old = await create(reviewInput(demo));
  const { body } = await producer.post(
    `/v2/requests/${old}/supersede`,
    reviewInput(demo, { route }),
  );
  const { id } = body.request;
  expect((await historyOf(old, ruth)).body.replaced_by).toBeNull();
  expect((await historyOf(old, ravi)).body.replaced_by?.id).toBe(id);
  expect((await historyOf(old, otto)).body.replaced_by?.id).toBe(id);
  expect((await historyOf(id, ruth)).status).toBe(404);
});

it('tells the decision of another reviewer, as the receipt does', async () => {
  const id = await create(reviewInput(instance.demo));
  expect((await decide(ravi, id, 'approve')).status).toBe(200);
  // Its anchor may have come already.
  expect(told(await historyOf(id))).toContain('decided Ravi Reviewer approve');
});
