import { randomUUID } from 'node:crypto';
import type { Pool } from '@countersign/database';
import type pg from 'pg';
import { until } from '@countersign/dev-servers/testing';
import { startLedger } from '../bench/drain/ledger.js';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let ledger: Pool;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  ledger = server.pool(url, 'ledger', 2);
});
afterEach(() => stop?.());
afterAll(() => server.stop());

/** A tenant with that many records that wait for the chain. */
async function backlog(count: number): Promise<string> {
  const tenant = `tenant-${randomUUID()}`;
  await owner.query(
    `WITH t AS (
       INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
       VALUES ($1, gen_random_uuid(), gen_random_uuid(), false, clock_timestamp())
     ), h AS (
       INSERT INTO ledger_head (tenant, sequence, head) VALUES ($1, 0, '')
     ) INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
       SELECT $1, gen_random_uuid(), gen_random_uuid(), 'RequestChangedEvent', 'sha256:' || md5(n::text), 'ann'
       FROM generate_series(1, $2::integer) n`,
    [tenant, count],
  );
  return tenant;
}

/** Checkpoints and entries, each with the transaction that wrote it. */
async function written(tenant: string) {
  const { rows } = await owner.query<{ entries: string[]; checkpoints: [number, string][] }>(
    `SELECT coalesce((SELECT json_agg(e.xmin::text ORDER BY e.sequence) FROM ledger_entry e WHERE e.tenant = $1), '[]') AS entries,
       coalesce((SELECT json_agg(json_build_array(c.sequence, c.xmin::text) ORDER BY c.sequence) FROM checkpoint c
         WHERE c.tenant = $1), '[]') AS checkpoints`,
    [tenant],
  );
  return rows[0]!;
}

describe('a backlog', () => {
  it("is chained a hundred at a time, each batch in one transaction with the last one's checkpoint", async () => {
    const tenant = await backlog(450);
    const told: string[] = [];
    stop = await startLedger(ledger, 'warn', (of) => told.push(of));
    await until(async () => (await written(tenant)).checkpoints.length === 5, 15_000);
    const { entries, checkpoints } = await written(tenant);
    expect(entries).toHaveLength(450);
    expect(checkpoints).toEqual([
      ...[100, 200, 300, 400].map((sequence) => [sequence, entries[sequence]]),
      [450, expect.anything()],
    ]);
    expect(new Set(entries).size).toBe(5);
    await until(async () => told.length === 5);
  });

  it('that cannot be chained on keeps its checkpoints, and goes on once it can', async () => {
    await owner.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.sequence > 200 THEN RAISE EXCEPTION 'refused by the test'; END IF;
        RETURN NEW;
      END $$`);
    await owner.query(
      `CREATE TRIGGER refuse BEFORE INSERT ON ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const tenant = await backlog(250);
    stop = await startLedger(ledger, 'silent');
    const sequences = async () => (await written(tenant)).checkpoints.map(([sequence]) => sequence);
    await until(async () => (await sequences()).length === 2);
    expect(await sequences()).toEqual([100, 200]);
    expect((await written(tenant)).entries).toHaveLength(200);
    await owner.query('DROP TRIGGER refuse ON ledger_entry');
    await until(async () => (await sequences()).length === 3, 15_000);
    expect(await sequences()).toEqual([100, 200, 250]);
  });
});
