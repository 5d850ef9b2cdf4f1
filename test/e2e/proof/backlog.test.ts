import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { valueDigest } from '@countersign/protocol';
import { addBacklog, outcomeOf, waiting } from '../../bench/anchoring/backlog.js';
import { personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import {
  authorisedRequest,
  executionInput,
  until,
  untilAvailable,
} from '../../support/requests.js';

const COUNT = 2000;

/** `npm run bench -- anchoring` is the same with 50,000. */
describe('many decisions that wait for their anchor at once', () => {
  let instance: Instance;
  let producer: Client;
  let reviewer: Client;
  let database: pg.Client;

  beforeAll(async () => {
    instance = await startInstance();
    const { demo, dataDirectory } = instance;
    producer = producerOf(demo);
    reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    const stores = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8'));
    database = new pg.Client({ connectionString: stores.urls.DATABASE_URL });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    await instance?.stop();
  });

  it('are all anchored once, with bounded proofs, while another tenant is served', async () => {
    const { demo } = instance;
    const template = await authorisedRequest(demo, producer, reviewer);
    const other = (await producer.post('/v2/requests', executionInput(demo))).body.request.id;
    const candidate = await reviewer.post(`/v2/requests/${other}/candidates`, {
      response: { note: 'seen' },
      decision: 'authorise',
    });
    const { tenant, producer: owner, routes } = demo.other;
    await addBacklog(
      database,
      { tenant: demo.tenant, id: template.body.request.id },
      { tenant, owner: owner.id, route: routes.execution },
      COUNT,
    );
    const confirmed = await reviewer.post(`/v2/requests/${other}/confirm`, {
      candidate_id: candidate.body.id,
      candidate_digest: valueDigest(candidate.body),
    });
    expect(confirmed.status).toBe(200);
    await untilAvailable(producer, other);
    await until(
      () => waiting(database, tenant),
      (open) => open === 0,
      60_000,
    );
    const done = await outcomeOf(database, tenant);
    expect(done).toMatchObject({ anchored: COUNT, available: COUNT, toldTwice: 0 });
    expect(done.longest).toBeLessThanOrEqual(100);
    expect(done.checkpoints).toBeGreaterThanOrEqual(COUNT / 100);
    // Other tenants do not wait in that queue: a decision confirmed after it was anchored before its end.
    const { rows } = await database.query<{ other: Date; last: Date }>(
      `SELECT (SELECT min(k.accepted_at) FROM checkpoint k JOIN lifecycle l ON l.request_id = $2::uuid
         WHERE k.tenant = l.tenant AND k.sequence >= l.receipt_sequence) AS other,
        (SELECT max(accepted_at) FROM checkpoint WHERE tenant = $1) AS last`,
      [tenant, other],
    );
    expect(rows[0]!.other.getTime()).toBeLessThan(rows[0]!.last.getTime());
  });
});
