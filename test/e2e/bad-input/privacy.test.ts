import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { valueDigest } from '@countersign/protocol';
import { Client, operatorOf, personOf } from '../../support/client.js';
import type { Answer } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { newRoute } from '../../support/own-route.js';
import { identityOf, newToken } from '../../support/people.js';
import { head, rawCall } from '../../support/raw-http.js';
import {
  claimInput,
  executionBinding,
  executionInput,
  reviewInput,
  untilAvailable,
} from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';

// Every private field holds a word that is nowhere else. After any fault, no refusal, no line of a log and no metric
// repeats one of them (R3, CONTRIBUTING).

/** By the field that it stands in. */
const words = new Map<string, string>();
const word = (field: string): string => {
  const known = words.get(field) ?? `canary-${words.size}-${randomUUID().slice(0, 8)}`;
  words.set(field, known);
  return known;
};

let instance: Instance;
let database: pg.Client;
let operator: Client;
let publisher: Client;
let reviewer: Client;
let own: OwnRoute;
let review: string;
let execution: string;
let identity: string;
const refusals: Answer[] = [];

/** Records the answer if it is a refusal; a success is the caller's own. */
function noted(answer: Answer): Answer {
  if (answer.status >= 400) refusals.push(answer);
  return answer;
}

function leaksIn(text: string): string[] {
  return [...words].filter(([, secret]) => text.includes(secret)).map(([field]) => field);
}

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  database = await connectTo(instance);
  operator = operatorOf(demo);
  const reviewerId = demo.people[1]!.id;
  reviewer = await personOf(demo, dataDirectory, reviewerId);
  const { cookie, csrf } = reviewer.credentials as { cookie: string; csrf: string };
  words.set('session cookie', cookie.split('=')[1]!);
  words.set('CSRF token', csrf);
  const token = newToken();
  words.set('bearer token', token);
  await operator.put('/v2/admin/principals/publisher-private', {
    id: 'publisher-private',
    kind: 'publisher',
    token,
    config: { enabled: true, name: word('principal name') },
  });
  publisher = new Client(demo.origin, { token });
  await operator.put(`/v2/admin/principals/${reviewerId}`, {
    id: reviewerId,
    kind: 'human',
    config: {
      enabled: true,
      ...identityOf(dataDirectory, reviewerId),
      name: word('human name'),
      email: `${word('address')}@example.com`,
      email_verified: true,
    },
  });
  own = await newRoute(demo, operator, [reviewerId]);
  await own.putProducer({ publisher: 'publisher-private' });
  words.set('producer token', (own.producer.credentials as { token: string }).token);

  const bundle = await publisher.post('/v2/bundles', {
    html: `<p>${word('app')}</p>`,
    compatibility: { agent_ui: '2', note: word('compatibility') },
    author: word('author'),
    licence: word('licence'),
  });
  const material = {
    summary: word('summary'),
    payload: { text: word('payload'), [word('payload member')]: 1 },
    response_schema: {
      title: word('schema'),
      type: 'object',
      required: ['note'],
      properties: { note: { type: 'string' }, [word('schema member')]: { type: 'number' } },
    },
    review_document: word('document'),
    metadata: { text: word('metadata') },
  };
  const created = await own.producer.post(
    '/v2/requests',
    reviewInput(own.demo, {
      ...material,
      profiles: { 'proto.agent-ui': '2' },
      bundle_id: bundle.body.id,
    }),
  );
  expect(created.status).toBe(201);
  review = created.body.request.id;
  const provenance = {
    profile: 'proto.execution',
    version: '1-draft.1',
    references: { text: word('provenance') },
  };
  const executing = await own.producer.post(
    '/v2/requests',
    executionInput(own.demo, { ...material, execution: executionBinding({ provenance }) }),
  );
  execution = executing.body.request.id;
  const candidate = await reviewer.post(`/v2/requests/${execution}/candidates`, {
    response: { note: word('response') },
    decision: 'authorise',
  });
  await reviewer.post(`/v2/requests/${execution}/confirm`, {
    candidate_id: candidate.body.id,
    candidate_digest: valueDigest(candidate.body),
  });
  const available = await untilAvailable(own.producer, execution);
  const input = claimInput(available);
  identity = input.execution_identity;
  expect((await own.producer.post(`/v2/requests/${execution}/claims`, input)).status).toBe(201);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const secretInput = () => ({
  ...reviewInput(own.demo),
  payload: word('refused payload'),
  review_document: word('refused document'),
  metadata: { [word('refused member')]: word('refused metadata') },
});
const outcome = (changes: object) => ({
  execution_identity: identity,
  status: 'uncertain',
  details: { text: word('outcome') },
  ...changes,
});

it('no refusal repeats private words', async () => {
  const { producer } = own;
  const propose = (response: unknown, decision = 'answer', key?: string) =>
    reviewer.post(`/v2/requests/${review}/candidates`, { response, decision }, key ? { key } : {});
  const create = (changes: object) =>
    producer.post('/v2/requests', { ...secretInput(), ...changes });
  const key = randomUUID();
  const calls: (() => Promise<Answer>)[] = [
    () => create({ extra: word('unknown member') }),
    () => create({ [word('unknown name')]: 1 }),
    () => create({ summary: word('long summary').repeat(30) }),
    () => create({ route: word('unknown route') }),
    () => create({ purpose: word('unknown purpose') }),
    () => create({ profiles: { [word('unknown profile')]: '1' } }),
    () => create({ response_schema: { [word('unknown keyword')]: 1 } }),
    () => create({ response_schema: { $ref: `#/$defs/${word('unknown reference')}` } }),
    () => create({ response_schema: { $ref: `https://${word('remote reference')}` } }),
    () => create({ response_schema: { type: word('unknown type') } }),
    () => create({ payload: word('large payload').repeat(600_000) }),
    () => create({ metadata: { text: word('large metadata').repeat(20_000) } }),
    () => producer.post('/v2/requests', {}, { raw: `{"${word('torn body')}":` }),
    () => producer.post('/v2/requests', {}, { key: word('odd key').concat(' ') + 'x' }),
    () => propose({ [word('wrong member')]: word('wrong response') }),
    () => propose({ note: 'x', [word('schema member')]: word('wrong type') }),
    () => propose({ note: word('wrong decision') }, 'authorise'),
    () => propose({ note: word('large response').repeat(20_000) }),
    () => propose({ note: word('first response') }, 'answer', key),
    () => propose({ note: word('other response') }, 'answer', key),
    () => producer.post(`/v2/requests/${execution}/outcomes`, outcome({ status: 'over' })),
    () => producer.post(`/v2/requests/${execution}/outcomes`, outcome({ more: word('more') })),
    () => producer.post(`/v2/requests/${execution}/outcomes`, outcome({})),
    () => producer.post(`/v2/requests/${execution}/outcomes`, outcome({ status: 'completed' })),
    () =>
      operator.post(
        `/v2/requests/${execution}/reconcile`,
        outcome({ details: { reason: word('reason'), evidence: '' } }),
      ),
    () =>
      publisher.post('/v2/bundles', { html: word('refused app'), author: word('refused author') }),
    () =>
      operator.put('/v2/admin/principals/p', {
        id: 'p',
        kind: 'human',
        token: word('refused token'),
        config: { enabled: true, name: word('refused name') },
      }),
    () =>
      operator.put('/v2/admin/principals/p', {
        id: 'p',
        kind: 'publisher',
        config: { enabled: true, webhook: `https://${word('webhook')}.example/` },
      }),
    () =>
      operator.put('/v2/admin/principals/p', {
        id: 'p',
        kind: 'publisher',
        config: { enabled: true, webhook_secret: word('webhook secret') },
      }),
    () =>
      operator.put('/v2/admin/principals/p', {
        id: 'p',
        kind: 'publisher',
        config: { enabled: true, email: word('refused address') },
      }),
    () => new Client(own.demo.origin, { token: word('unknown token') }).get('/v2/requests'),
    () =>
      new Client(own.demo.origin, {
        cookie: `__Host-proto=${word('unknown cookie')}`,
        csrf: word('unknown csrf'),
      }).post(`/v2/requests/${review}/assignment`),
    () => producer.get(`/v2/requests/${word('odd id')}`),
    () => producer.get(`/v2/requests?state=${word('odd state')}&offset=${word('odd offset')}`),
    () => operator.put(`/v2/admin/routes/${word('odd route')}%20`, {}),
    () =>
      new Client(own.demo.origin, null).get(
        `/auth/callback?code=${word('code')}&state=${word('state')}`,
      ),
  ];
  for (const call of calls) noted(await call());
  expect(refusals.length).toBeGreaterThanOrEqual(calls.length - 2);
  expect(
    refusals.flatMap(({ text, body }) => leaksIn(text).map((field) => [body?.error, field])),
  ).toEqual([]);
  const headers = refusals.map((answer) => JSON.stringify([...answer.headers]));
  expect(headers.flatMap(leaksIn)).toEqual([]);
});

it('no failure of a store repeats them either', async () => {
  const before = refusals.length;
  const broken = async (break_: string, mend: string, calls: (() => Promise<Answer>)[]) => {
    await database.query(break_);
    try {
      for (const call of calls) {
        const { status, body } = noted(await call());
        expect([status, body.error]).toEqual([503, 'service_unavailable']);
      }
    } finally {
      await database.query(mend);
    }
  };
  const create = () => own.producer.post('/v2/requests', secretInput());
  const propose = () =>
    reviewer.post(`/v2/requests/${review}/candidates`, {
      response: { note: word('lost response') },
      decision: 'answer',
    });
  const read = () => own.producer.get(`/v2/requests/${review}/material`);
  const exported = () => own.producer.get(`/v2/requests/${review}/export`);
  const report = () =>
    operator.post(
      `/v2/requests/${execution}/reconcile`,
      outcome({ details: { reason: word('lost reason'), evidence: 'e' } }),
    );
  await broken('ALTER TABLE material RENAME TO gone', 'ALTER TABLE gone RENAME TO material', [
    create,
    propose,
    read,
    exported,
    report,
  ]);
  // Postgres shows the row that breaks a rule in its error.
  const rule = (table: string) =>
    [
      `ALTER TABLE ${table} ADD CONSTRAINT never CHECK (false) NOT VALID`,
      `ALTER TABLE ${table} DROP CONSTRAINT never`,
    ] as const;
  await broken(...rule('material'), [create]);
  await broken(...rule('request'), [create]);
  await broken(...rule('candidate'), [propose]);
  await broken(...rule('record'), [create, report]);
  await broken(...rule('idempotency'), [create, propose]);
  const register = () =>
    publisher.post('/v2/bundles', {
      html: word('lost app'),
      compatibility: { agent_ui: '2' },
      author: word('lost author'),
      licence: 'MIT',
    });
  await broken(...rule('bundle'), [register]);
  // Stored text that was changed.
  await database.query(`UPDATE request SET canonical = '{' || canonical WHERE id = $1`, [review]);
  for (const call of [read, exported, propose]) noted(await call());
  expect(refusals.length).toBeGreaterThan(before + 10);
  expect(refusals.flatMap(({ text }) => leaksIn(text))).toEqual([]);
});

it('nothing of it is in a log', async () => {
  const { origin } = instance.demo;
  const cookie = `__Host-proto=${word('cookie in torn headers')}`;
  await rawCall(origin, [head('GET', '/inbox', { Cookie: cookie, X: 'x'.repeat(20_000) })]);
  await rawCall(origin, [
    `GET /health HTTP/1.1\r\nAuthorization: Bearer ${word('torn token')}\0\r\n\r\n`,
  ]);
  const logs = join(instance.dataDirectory, 'logs');
  const files = readdirSync(logs);
  expect(files).toEqual(expect.arrayContaining(['all.log', 'postgres.log']));
  const text = files.map((name) => [name, readFileSync(join(logs, name), 'utf8')] as const);
  // They do report the faults of this test.
  expect(text.map(([, log]) => log).join()).toContain('42P01');
  const leaks = [...text, ['what the launcher prints', instance.output()] as const].flatMap(
    ([name, log]) => leaksIn(log).map((field) => `${name}: ${field}`),
  );
  expect(leaks).toEqual([]);
});

it('nothing of it is in the figures, the descriptions or the keys', async () => {
  const anybody = new Client(instance.demo.origin, null);
  const texts = await Promise.all([
    operator.get('/v2/admin/metrics'),
    operator.get('/v2/admin/metrics.prom'),
    ...[
      '/health',
      '/readyz',
      '/openapi.json',
      '/.well-known/proto',
      '/.well-known/proto-trust',
    ].map((path) => anybody.get(path)),
  ]);
  expect(texts.every(({ status }) => status === 200)).toBe(true);
  expect(texts.flatMap(({ text }) => leaksIn(text))).toEqual([]);
});
