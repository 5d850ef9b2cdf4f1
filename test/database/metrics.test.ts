import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { runNotes } from '@countersign/database';
import type { Pool } from '@countersign/database';
import { MetricsStore } from '@countersign/ledger';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let ledger: Pool;
let metrics: MetricsStore;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  ledger = server.pool(url, 'ledger');
  metrics = new MetricsStore(ledger);
});
afterAll(() => server.stop());

async function newTenant(): Promise<{ tenant: string; generation: string }> {
  const tenant = `tenant-${randomUUID()}`;
  const generation = randomUUID();
  await owner.query(
    `INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at) VALUES ($1, $2, $3, false, now())`,
    [tenant, randomUUID(), generation],
  );
  return { tenant, generation };
}

interface Row {
  decision?: string;
  execution?: string;
  outcome?: boolean;
  claimed?: boolean;
  /** Seconds from now. */
  acceptedIn?: number;
  deadlineIn?: number;
  retained?: boolean;
}

async function insertRequest(tenant: string, row: Row = {}): Promise<string> {
  const id = randomUUID();
  await owner.query(
    `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at, outcome_id)
     SELECT $1, $2, 'owner', 'route', $3, 'unanchored', 'none', $4, 1, 1, n + make_interval(secs => $5),
       n + make_interval(secs => $6), n, n, $7::uuid FROM clock_timestamp() n`,
    [
      tenant,
      id,
      row.decision ?? 'pending',
      row.execution ?? 'unclaimed',
      row.acceptedIn ?? -10,
      row.deadlineIn ?? 600,
      row.outcome === true ? randomUUID() : null,
    ],
  );
  if (row.claimed === true) {
    await owner.query(
      `INSERT INTO deadline (tenant, request_id, kind, due) VALUES ($1, $2, 'reconciliation', now())`,
      [tenant, id],
    );
  }
  if (row.retained === true) {
    await owner.query(
      `INSERT INTO material (tenant, request_id, payload, response_schema, review_document, bytes) VALUES ($1, $2, '1', '{}', '', 100)`,
      [tenant, id],
    );
  }
  return id;
}

async function snapshot(tenant: string, incidents = 50) {
  const row = await metrics.snapshot(tenant, incidents);
  if (row === undefined) throw new Error('no such tenant');
  return row;
}

it('shows zeros and nothing for a new tenant', async () => {
  const { tenant } = await newTenant();
  expect(await snapshot(tenant)).toEqual({
    now: expect.any(Number),
    fenced: false,
    retained: 0,
    pending: 0,
    unresolved_execution: 0,
    oldest_pending: null,
    retained_bytes: 0,
    enabled_reviewers: 0,
    delivery: [],
    incidents: [],
    runs: [],
    http_total: 0,
    http_failures: 0,
    http_conflicts: 0,
  });
  expect(await metrics.snapshot('nobody', 50)).toBeUndefined();
});

it('counts pending requests now, even if an expiry is not written yet', async () => {
  const { tenant } = await newTenant();
  const stranger = await newTenant();
  await insertRequest(stranger.tenant, { acceptedIn: -9999 });
  await insertRequest(tenant, { acceptedIn: -30 });
  await insertRequest(tenant, { acceptedIn: -20 });
  await insertRequest(tenant, { acceptedIn: -40, deadlineIn: 0 });
  await insertRequest(tenant, { acceptedIn: -50, decision: 'confirmed' });
  const { now, pending, oldest_pending } = await snapshot(tenant);
  expect(pending).toBe(2);
  expect(Math.round((now - (oldest_pending ?? 0)) / 1000)).toBe(30);
});

it('counts executions without an outcome', async () => {
  const { tenant } = await newTenant();
  const { tenant: stranger } = await newTenant();
  const claimed = { decision: 'confirmed', claimed: true };
  await insertRequest(stranger, { ...claimed, execution: 'claimed' });
  await insertRequest(tenant, { decision: 'confirmed' });
  for (const execution of ['claimed', 'admitted', 'uncertain']) {
    await insertRequest(tenant, { ...claimed, execution });
    await insertRequest(tenant, { ...claimed, execution, outcome: true });
  }
  await insertRequest(tenant, { ...claimed, execution: 'completed', outcome: true });
  expect(await snapshot(tenant)).toMatchObject({ unresolved_execution: 3, pending: 0 });
});

it('counts retained material, and its bytes', async () => {
  const { tenant } = await newTenant();
  const { tenant: stranger } = await newTenant();
  await insertRequest(stranger, { retained: true });
  await insertRequest(tenant, { retained: true });
  await insertRequest(tenant, { retained: true, decision: 'cancelled' });
  await insertRequest(tenant);
  await owner.query(
    `INSERT INTO retained (tenant, scope, subject, slot, bytes) VALUES ($1, 'owner', 'a', 1, 75), ($1, 'owner', 'a', 2, -5),
       ($1, 'owner', 'b', 1, 7), ($1, 'publisher', 'p', 1, 900), ($2, 'owner', 'a', 1, 5)`,
    [tenant, stranger],
  );
  expect(await snapshot(tenant)).toMatchObject({ retained: 2, retained_bytes: 77 });
});

it('counts enabled people whom a route names, each once', async () => {
  const { tenant } = await newTenant();
  await owner.query(
    `INSERT INTO principal (tenant, id, kind, enabled, config, updated_at) VALUES
       ($1, 'ann', 'human', true, '{}', now()), ($1, 'bob', 'human', true, '{}', now()),
       ($1, 'cyd', 'human', false, '{}', now()), ($1, 'dan', 'human', true, '{}', now()),
       ($1, 'bot', 'producer', true, '{}', now())`,
    [tenant],
  );
  await owner.query(
    `INSERT INTO route (tenant, id, revision, config, updated_at)
     SELECT $1, r, 1, '{}', now() FROM unnest(ARRAY['x', 'y']) r`,
    [tenant],
  );
  await owner.query(
    `INSERT INTO route_reviewer (tenant, reviewer, route) VALUES ($1, 'ann', 'x'), ($1, 'ann', 'y'), ($1, 'bob', 'y'), ($1, 'cyd', 'x'), ($1, 'bot', 'x'), ($1, 'gone', 'x')`,
    [tenant],
  );
  expect((await snapshot(tenant)).enabled_reviewers).toBe(2);
});

it('counts deliveries and checkpoints by state, with the age of the oldest', async () => {
  const { tenant, generation } = await newTenant();
  const { tenant: stranger } = await newTenant();
  await owner.query(
    `INSERT INTO delivery (tenant, id, kind, state, created_at)
     SELECT t, gen_random_uuid(), kind, state, clock_timestamp() - make_interval(secs => ago)
     FROM (VALUES ($1, 'webhook', 'pending', 5), ($1, 'webhook', 'pending', 60), ($1, 'webhook', 'accepted', 7),
       ($1, 'smtp', 'failed', 8), ($2, 'smtp', 'expired', 9)) AS x (t, kind, state, ago)`,
    [tenant, stranger],
  );
  await owner.query(
    `INSERT INTO checkpoint (tenant, generation, sequence, previous_sequence, record, created_at, applied)
     SELECT $1, g::uuid, s, s - 1, '{}', clock_timestamp() - make_interval(secs => 100 - s), applied
     FROM (VALUES ($2, 10, true), ($2, 20, true), ($2, 30, false), ($3, 5, true)) AS x (g, s, applied)`,
    [tenant, generation, randomUUID()],
  );
  const { delivery } = await snapshot(tenant);
  expect(
    delivery.map(({ kind, state, count, oldest_seconds }) => [
      kind,
      state,
      count,
      Math.round(oldest_seconds),
    ]),
  ).toEqual([
    ['checkpoint', 'accepted', 2, 90],
    ['checkpoint', 'pending', 1, 70],
    ['smtp', 'failed', 1, 8],
    ['webhook', 'accepted', 1, 7],
    ['webhook', 'pending', 2, 60],
  ]);
});

it('lists the newest incidents first, and no more than asked for', async () => {
  const { tenant } = await newTenant();
  const { tenant: stranger } = await newTenant();
  await owner.query(
    `INSERT INTO incident (tenant, id, code, created_at)
     SELECT $1, gen_random_uuid(), 'i' || n, clock_timestamp() - make_interval(secs => n) FROM generate_series(1, 5) n
     UNION ALL SELECT $2, gen_random_uuid(), 'other', clock_timestamp()`,
    [tenant, stranger],
  );
  const { incidents } = await snapshot(tenant, 3);
  expect(incidents.map(({ code }) => code)).toEqual(['i1', 'i2', 'i3']);
});

it('keeps the last success and the last failure apart', async () => {
  const { tenant } = await newTenant();
  const noted = runNotes(ledger, 'outbox', (error) => expect(error).toBeUndefined());
  await noted(tenant, true);
  const [first] = (await snapshot(tenant)).runs;
  expect(first).toEqual({ name: 'outbox', succeeded_at: expect.any(Number), failed_at: null });
  await noted(tenant, false);
  const [second] = (await snapshot(tenant)).runs;
  expect(second).toEqual({ ...first, failed_at: expect.any(Number) });
  expect(second?.failed_at).toBeGreaterThanOrEqual(first?.succeeded_at ?? Infinity);
});

/** HOT: a new version of the row that no index has to learn of. */
it.each([
  ['claim', `grant_state = 'consumed', execution = 'claimed', claim_id = gen_random_uuid()`],
  ['admission', `execution = 'admitted', admissions = admissions + 1`],
  [
    'outcome',
    `execution = 'completed', outcome_id = gen_random_uuid(), private_delete_at = clock_timestamp()`,
  ],
  ['anchoring', `audit = 'anchored', grant_state = 'available', receipt_sequence = 7`],
])('the figures cost a %s no index entry of the request', async (_step, set) => {
  const { tenant } = await newTenant();
  const id = await insertRequest(tenant, { decision: 'confirmed' });
  const client = await owner.connect();
  const hotUpdates = async (): Promise<number> => {
    const { rows } = await client.query<{ hot: number }>(
      `SELECT pg_stat_get_xact_tuples_hot_updated('lifecycle'::regclass) AS hot`,
    );
    return rows[0]?.hot ?? 0;
  };
  try {
    await client.query('BEGIN');
    const before = await hotUpdates();
    await client.query(
      `UPDATE lifecycle SET version = version + 1, revision = revision + 1, ${set} WHERE tenant = $1 AND request_id = $2`,
      [tenant, id],
    );
    expect((await hotUpdates()) - before).toBe(1);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
