import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { DEFAULT_LIMITS, PROTOCOL_REVISION } from '@countersign/protocol';
import { personOf, producerOf } from '../../support/client.js';
import type { Answer, Client } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { PRODUCTION_ORIGIN, startProduction } from '../../support/production.js';
import { reviewInput, until } from '../../support/requests.js';
import {
  HUNGRY_RESPONSE,
  HUNGRY_SCHEMA,
  slowResponse,
  slowSchema,
  slowToCompile,
} from '../../support/slow-schemas.js';
import { Tampering } from '../../support/tampering.js';
import { connectTo } from '../../support/truths.js';

// Codes that no state of a request causes: response schemas that cost too much, machinery that is broken or overloaded,
// and production mode.

let instance: Instance;
let database: pg.Client;
let tampering: Tampering;
let producer: Client;
let reviewer: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  database = await connectTo(instance);
  tampering = new Tampering(database, demo.tenant);
  producer = producerOf(demo);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const coded = ({ status, body }: Answer) => [status, body?.error];

async function newRequest(response_schema: object = {}): Promise<string> {
  // Slow schemas of other tests make new ones of their tenant wait for up to a minute.
  const { status, body } = await until(
    () => producer.post('/v2/requests', reviewInput(instance.demo, { response_schema })),
    (answer) => answer.body.error !== 'schema_validation_busy',
    90_000,
  );
  expect(status).toBe(201);
  return body.request.id;
}

const propose = (id: string, response: unknown, by = reviewer) =>
  by.post(`/v2/requests/${id}/candidates`, { response, decision: 'answer' });

describe('a response schema', () => {
  const create = (response_schema: object) =>
    producer.post('/v2/requests', reviewInput(instance.demo, { response_schema }));

  it('has 9999 nodes and 31 levels at most', async () => {
    const names = (count: number) => ({
      required: Array.from({ length: count }, (_, n) => `n${n}`),
    });
    expect((await create(names(9997))).status).toBe(201);
    expect(coded(await create(names(9998)))).toEqual([400, 'schema_complexity']);
    const levels = (count: number): object => (count === 0 ? {} : { items: levels(count - 1) });
    expect((await create(levels(31))).status).toBe(201);
    expect(coded(await create(levels(32)))).toEqual([400, 'schema_complexity']);
  });

  it('and a response make 5000000 checks at most', async () => {
    // The array with each of its items, by the schema with each of 49 parts of it: 50 × (1 + items).
    const parts = Array.from({ length: 49 }, () => ({}));
    const id = await newRequest({ allOf: parts });
    const items = (count: number) => Array.from({ length: count }, () => 1);
    expect((await propose(id, items(99_999))).status).toBe(201);
    expect(coded(await propose(id, items(100_000)))).toEqual([400, 'response_complexity']);
  });

  it('that was stored larger than any that is taken is not given to a process', async () => {
    const id = await newRequest();
    const schema = JSON.stringify({ title: 'x'.repeat(2 * DEFAULT_LIMITS.response_bytes) });
    await tampering.rewriteRequest(id, { schema });
    expect(coded(await propose(id, 'x'.repeat(1000)))).toEqual([
      413,
      'schema_validation_too_large',
    ]);
  });

  it('that breaks its process is refused, and takes nothing from the next one', async () => {
    const id = await newRequest();
    await tampering.rewriteRequest(id, { schema: 'no JSON' });
    expect(coded(await propose(id, 1))).toEqual([503, 'schema_validation_unavailable']);
    await newRequest({ title: randomUUID() });
  });

  it('takes a bounded time, with and without a response', async () => {
    const id = await newRequest(slowSchema('time'));
    // A machine too busy to let it run for half of its time may say so, and is asked again.
    const timed = (ask: () => Promise<Answer>) =>
      until(ask, ({ body }) => body.error !== 'schema_validation_busy');
    const begin = performance.now();
    expect(coded(await timed(() => propose(id, slowResponse(randomUUID()))))).toEqual([
      400,
      'schema_validation_timeout',
    ]);
    expect(performance.now() - begin).toBeGreaterThan(1400);
    expect(coded(await timed(() => create(slowToCompile('time'))))).toEqual([
      400,
      'schema_validation_timeout',
    ]);
  });

  it('takes a bounded memory', async () => {
    const id = await newRequest(HUNGRY_SCHEMA);
    // On a busy machine its time can be over before its memory is.
    const late = ['schema_validation_busy', 'schema_validation_timeout'];
    const refused = await until(
      () => propose(id, HUNGRY_RESPONSE),
      ({ body }) => !late.includes(body.error),
      90_000,
    );
    expect(coded(refused)).toEqual([400, 'schema_resource_limit']);
  });

  it('that finds no process in time is refused, and so is the next one of a tenant that was too slow', async () => {
    // Large bodies of one caller are read one after the other, so these arrive in a row; how many wait beside each other is
    // for packages/platform/src/schema-check/seats.test.ts.
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => coded(await create(slowToCompile(randomUUID())))),
    );
    const busy = [503, 'schema_validation_busy'];
    const late = [400, 'schema_validation_timeout'];
    for (const code of answers) expect([busy, late]).toContainEqual(code);
    expect(answers).toContainEqual(busy);
  });
});

it('a store that cannot answer is 503, and says nothing of why', async () => {
  const id = await newRequest();
  await database.query('ALTER TABLE material RENAME TO material_elsewhere');
  const answer = await producer.get(`/v2/requests/${id}/material`);
  await database.query('ALTER TABLE material_elsewhere RENAME TO material');
  expect(coded(answer)).toEqual([503, 'service_unavailable']);
  expect(answer.text).not.toMatch(/relation|material_elsewhere|select/i);
  expect((await producer.get(`/v2/requests/${id}/material`)).status).toBe(200);
});

it.each([
  ['no JSON', (canonical: string) => `{${canonical}`],
  ['no whole request', () => JSON.stringify({ protocol_revision: PROTOCOL_REVISION })],
  [
    'another request',
    (canonical: string) => canonical.replace('"tenant":"demo"', '"tenant":"other"'),
  ],
])('a stored request that is %s is damaged, and nothing is done with it', async (_what, damage) => {
  const id = await newRequest();
  const { rows } = await tampering.run(
    'SELECT canonical FROM request WHERE tenant = $1 AND id = $2',
    id,
  );
  await tampering.set('request', id, { canonical: damage(rows[0].canonical) });
  const damaged = [409, 'material_integrity_mismatch'];
  expect(coded(await producer.get(`/v2/requests/${id}/material`))).toEqual(damaged);
  expect(coded(await producer.get(`/v2/requests/${id}/export`))).toEqual(damaged);
  expect(coded(await producer.post(`/v2/requests/${id}/remind`))).toEqual(damaged);
  expect(coded(await propose(id, {}))).toEqual(damaged);
});

it('a route of production separates duties', async () => {
  const { operator, stop } = await startProduction(instance, database);
  try {
    const route = (changes: object) =>
      operator.put('/v2/admin/routes/r', {
        reviewers: [],
        separation_of_duties: false,
        limits: DEFAULT_LIMITS,
        required_profiles: {},
        allowed_producers: [],
        modes: [],
        ...changes,
      });
    const refused = await route({});
    expect(coded(refused)).toEqual([400, 'separation_of_duties_required']);
    expect(refused.body.type).toBe(`${PRODUCTION_ORIGIN}/errors/separation_of_duties_required`);
    expect(refused.headers.get('strict-transport-security')).toBe('max-age=31536000');
    // The shape comes before, the limits come after it (protocol §7 request.configure-route).
    expect(coded(await route({ limits: {} }))).toEqual([400, 'invalid_route']);
    const limits = { ...DEFAULT_LIMITS, grant_seconds: 0 };
    expect(coded(await route({ limits }))).toEqual([400, 'separation_of_duties_required']);
    const separated = { separation_of_duties: true };
    expect(coded(await route({ ...separated, limits }))).toEqual([400, 'invalid_route_limits']);
    expect((await route(separated)).status).toBe(200);
  } finally {
    await stop();
  }
});
