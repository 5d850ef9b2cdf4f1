import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { newId } from '@countersign/platform';
import { ListStore } from '@countersign/request';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let lists: ListStore;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  lists = new ListStore(server.pool(url, 'request'));
  await owner.query(`
    INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
      SELECT t, gen_random_uuid(), gen_random_uuid(), false, now() FROM unnest(ARRAY['t', 'other']) AS t;
    INSERT INTO route (tenant, id, revision, config, updated_at)
      SELECT 't', r, 1, '{}', now() FROM unnest(ARRAY['first', 'second', 'third']) AS r;
    INSERT INTO route_reviewer (tenant, reviewer, route) VALUES ('t', 'ruth', 'first'), ('t', 'ruth', 'second')`);
});
afterAll(() => server.stop());

/** `due` and `at` in seconds from now. */
async function request(of: string, route: string, decision: string, due: number, at: number) {
  const id = randomUUID();
  await owner.query(
    `INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at)
     SELECT $7, $1, $2, $3, $4, 'unanchored', 'none', 'unclaimed', 1, 1, n + make_interval(secs => $6),
       n + make_interval(secs => $5), n, n FROM clock_timestamp() n`,
    [id, of, route, decision, due, at, of === 'stranger' ? 'other' : 't'],
  );
  return id;
}

async function listed(id: string, scope: 'operator' | 'owner' | 'human', state: string) {
  const caller = { tenant: 't', id, kind: 'producer', credential: null } as const;
  const rows = await lists.list(caller, scope, 0, state);
  return rows.map((row) => row.request_id);
}

it('counts a review whose time has come as expired, even if that is not written yet, for every permitted reader', async () => {
  // From the oldest to the newest.
  const written = await request('pat', 'first', 'expired', -50, -90);
  const overdue = await request('pat', 'first', 'pending', -1, -80);
  const byRuth = await request('ruth', 'second', 'pending', -1, -70);
  const elsewhere = await request('kim', 'third', 'pending', -1, -60);
  const open = await request('pat', 'first', 'pending', 600, -50);
  await request('stranger', 'first', 'pending', -1, -40);

  expect(await listed('pat', 'owner', 'expired')).toEqual([overdue, written]);
  expect(await listed('ruth', 'human', 'expired')).toEqual([byRuth, overdue, written]);
  expect(await listed('olga', 'operator', 'expired')).toEqual([
    elsewhere,
    byRuth,
    overdue,
    written,
  ]);
  expect(await listed('kim', 'human', 'expired')).toEqual([elsewhere]);

  expect(await listed('pat', 'owner', 'pending')).toEqual([open]);
  expect(await listed('ruth', 'human', 'pending')).toEqual([open]);
  expect(await listed('olga', 'operator', 'pending')).toEqual([open]);

  expect(await listed('pat', 'owner', '')).toEqual([open, overdue, written]);
  expect(await listed('ruth', 'human', '')).toEqual([open, byRuth, overdue, written]);
});

let made = Date.now();

/** A request that executes; ids are in the order of time, as the service makes them. */
async function execution(of: string, occurrence: string, decision: string, due = 600) {
  const drawn = await request(of, 'first', decision, due, -10);
  const id = newId((made += 1));
  await owner.query('UPDATE lifecycle SET request_id = $2 WHERE request_id = $1', [drawn, id]);
  await owner.query(
    `INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical, occurrence)
     VALUES ('t', $1, $2, 'first', 'authorise_execution', '', '', '{}', $3)`,
    [id, of, occurrence],
  );
  return id;
}

it('lists an owner’s own requests of one occurrence, newest first, in the states of now', async () => {
  const replaced = await execution('pat', 'pay/1', 'superseded');
  const overdue = await execution('pat', 'pay/1', 'pending', -1);
  const open = await execution('pat', 'pay/1', 'pending');
  await execution('pat', 'pay/12', 'pending');
  await execution('kim', 'pay/1', 'pending');

  const listed = async (state: string, offset = 0, occurrence = 'pay/1') => {
    const caller = { tenant: 't', id: 'pat', kind: 'producer', credential: null } as const;
    const rows = await lists.ofOccurrence(caller, occurrence, offset, state);
    return rows.map((row) => row.request_id);
  };
  expect(await listed('')).toEqual([open, overdue, replaced]);
  expect(await listed('', 1)).toEqual([overdue, replaced]);
  expect(await listed('pending')).toEqual([open]);
  expect(await listed('expired')).toEqual([overdue]);
  expect(await listed('superseded')).toEqual([replaced]);
  expect(await listed('', 0, 'pay/2')).toEqual([null]);
});
