import { operatorOf, personOf, producerOf, Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionBinding,
  executionInput,
  reviewInput,
} from '../support/requests.js';

// JSON can carry every code point but half surrogates (protocol §2.1), U+0000 among them, which Postgres keeps in no text.

let instance: Instance;
let producer: Client;
let operator: Client;
let reviewer: Client;
beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  operator = operatorOf(demo);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]?.id ?? '');
});
afterAll(async () => {
  await instance?.stop();
});

const odd = 'a\u0000b\u0001\u007f\u2028\ufeff\ufffe\u{10ffff}';

test.each([
  ['summary', { summary: odd }],
  ['document', { review_document: odd }],
  ['payload', { payload: { [odd]: odd } }],
  ['metadata', { metadata: { [odd]: odd } }],
  ['schema', { response_schema: { description: odd, enum: [odd] } }],
])('keeps every character of the %s of a request', async (_, changes) => {
  const input = reviewInput(instance.demo, changes);
  const created = await producer.post('/v2/requests', input);
  expect(created.status).toBe(201);
  const { id } = created.body.request;
  const { body } = await producer.get(`/v2/requests/${id}/material`);
  expect([body.request.summary, body.request.metadata, body.payload]).toEqual([
    input.summary,
    (input as { metadata?: object }).metadata ?? {},
    input.payload,
  ]);
  expect([body.review_document, body.response_schema]).toEqual([
    input.review_document,
    input.response_schema,
  ]);
  expect((await reviewer.get('/v2/requests')).status).toBe(200);
});

it('keeps every character of an app', async () => {
  const publisher = new Client(instance.demo.origin, { token: instance.demo.publisher.token });
  const bundle = await publisher.post('/v2/bundles', {
    html: odd,
    compatibility: { agent_ui: '2', odd },
    author: odd,
    licence: odd,
  });
  expect(bundle.status).toBe(201);
  const created = await producer.post(
    '/v2/requests',
    reviewInput(instance.demo, {
      profiles: { 'proto.agent-ui': '2' },
      bundle_id: bundle.body.id,
    }),
  );
  const app = await reviewer.get(`/v2/requests/${created.body.request.id}/app`);
  expect([app.status, app.body.html]).toEqual([200, odd]);
});

it('keeps every character of an answer', async () => {
  const created = await producer.post(
    '/v2/requests',
    reviewInput(instance.demo, { response_schema: {} }),
  );
  const { id } = created.body.request;
  expect((await decide(reviewer, id, 'approve', { [odd]: odd })).status).toBe(200);
  const poll = await producer.get(`/v2/hitl/${id}/poll`);
  expect(poll.body.result.data.response).toEqual({ [odd]: odd });
});

it('keeps every character of an execution and of its outcome', async () => {
  const { demo } = instance;
  const provenance = { profile: 'proto.execution', version: '1-draft.1', references: { odd } };
  const created = await producer.post(
    '/v2/requests',
    executionInput(demo, { metadata: { odd }, execution: executionBinding({ provenance }) }),
  );
  expect(created.status).toBe(201);
  const { id } = created.body.request;
  expect((await decide(reviewer, id, 'authorise')).status).toBe(200);
  // Others of the tenant must not wait for this one: theirs are anchored too.
  const other = await authorisedRequest(demo, producer, reviewer);
  const input = claimInput(other);
  const of = `/v2/requests/${other.body.request.id}`;
  expect((await producer.post(`${of}/claims`, input)).status).toBe(201);
  const report = {
    execution_identity: input.execution_identity,
    status: 'completed',
    details: { [odd]: odd },
  };
  const outcome = await producer.post(`${of}/outcomes`, report);
  expect([outcome.status, outcome.body.payload.outcome]).toEqual([200, report]);
  expect((await producer.get(`${of}/export`)).status).toBe(200);
});

it('configures people and routes beside requests that hold such characters', async () => {
  const { demo } = instance;
  await producer.post('/v2/requests', reviewInput(demo, { metadata: { odd } }));
  const id = 'human-odd';
  const kept = odd.replace('\u0000', '');
  const put = (name: string, enabled: boolean) =>
    operator.put(`/v2/admin/principals/${id}`, {
      id,
      kind: 'human',
      config: { enabled, name, oidc_issuer: demo.issuer, oidc_subject: kept },
    });
  expect((await put(kept, true)).status).toBe(200);
  expect((await put(kept, false)).status).toBe(200);
  // The directory cannot keep U+0000: it is refused instead of lost.
  const refused = await put(odd, true);
  expect([refused.status, refused.body.error]).toEqual([400, 'invalid_principal']);
  expect((await put('a\\u0000', true)).status).toBe(200);
  const { body } = await producer.get('/v2/requests?state=pending');
  expect(body.items.length).toBeGreaterThan(0);
  const route = (mode: string) => ({
    reviewers: [],
    separation_of_duties: true,
    limits,
    required_profiles: {},
    allowed_producers: [],
    modes: [mode],
  });
  const { limits } = (await producer.get(`/v2/requests/${body.items[0].id}`)).body.request;
  const path = `/v2/admin/routes/${demo.routes.review}`;
  expect((await operator.put(path, route(kept))).status).toBe(200);
  const without = await operator.put(path, route(odd));
  expect([without.status, without.body.error]).toEqual([400, 'invalid_route']);
});
