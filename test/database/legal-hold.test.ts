import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { ask, askOne } from '@countersign/database';
import { deletionStatements } from '@countersign/request';
import { REFUSED, sqlState, startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';
import { storedRequest } from './stored-request.js';

/** SQLSTATEs of a deletion of held bytes, of a hold on a request that is gone, and of a hold that would shrink. */
const HELD = 'CSQ04';
const GONE = 'CSQ05';
const SHRINKS = 'CSQ06';
const TENANT = 't';

let server: TestServer;
let owner: pg.Pool;
let deletion: TestPool;
let request: TestPool;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  deletion = server.pool(url, 'deletion');
  request = server.pool(url, 'request');
});
afterAll(() => server.stop());

const stored = () => storedRequest(owner, TENANT);

/** Holds a request, until the end of an interval from now; returns the hold's id. */
async function hold(id: string, forTime = '1 year', by: pg.Pool | pg.PoolClient = owner) {
  const holdId = randomUUID();
  await by.query(
    `INSERT INTO hold (tenant, id, revision, reference, until, set_by, set_by_person, set_at)
     VALUES ('${TENANT}', $1, 1, 'case', now() + $2::interval, 'custodian-1', 'p', now())`,
    [holdId, forTime],
  );
  await by.query(
    `INSERT INTO hold_item SELECT '${TENANT}', $1, id, until FROM hold WHERE id = $2`,
    [id, holdId],
  );
  return holdId;
}

const lift = (holdId: string) =>
  owner.query('UPDATE hold_item SET lifted_at = now() WHERE hold_id = $1', [holdId]);

const deleteRequest = (id: string) =>
  askOne(deletion, deletionStatements.DELETE_REQUEST, { tenant: TENANT, request_id: id });

const KEPT = ['material', 'candidate', 'approval', 'request_evidence'] as const;

/** How many rows are left of each table that a hold keeps, and texts of records. */
async function left(id: string): Promise<number[]> {
  const { rows } = await owner.query<{ rows: number }>(
    `${KEPT.map((table) => `SELECT count(*)::integer AS rows FROM ${table} WHERE request_id = $1`).join(' UNION ALL ')}
     UNION ALL SELECT count(*)::integer FROM request WHERE id = $1
     UNION ALL SELECT count(record)::integer FROM record WHERE request_id = $1`,
    [id],
  );
  return rows.map(({ rows: count }) => count);
}
const ALL = [1, 1, 1, 1, 1, 1];
const NONE = [0, 0, 0, 0, 0, 0];

describe('the deletion worker of a release that knows no holds', () => {
  it('deletes a request that is not held', async () => {
    const { id } = await stored();
    expect(await deleteRequest(id)).toEqual({ chained: true });
    expect(await left(id)).toEqual(NONE);
  });

  it('cannot delete a held request, and leaves all of it', async () => {
    const { id } = await stored();
    await hold(id);
    expect(await sqlState(deleteRequest(id))).toBe(HELD);
    expect(await left(id)).toEqual(ALL);
  });

  it('cannot sweep the candidates of a held request', async () => {
    const { id } = await stored();
    await owner.query('UPDATE lifecycle SET material_deleted = true WHERE request_id = $1', [id]);
    await hold(id);
    const sweep = ask(deletion, deletionStatements.SWEEP_PRIVATE, {
      tenant: TENANT,
      request_id: id,
    });
    expect(await sqlState(sweep)).toBe(HELD);
    expect(await left(id)).toEqual(ALL);
  });

  test.each(KEPT)('cannot delete a held row of %s by itself', async (table) => {
    const { id } = await stored();
    await hold(id);
    const gone = deletion.query(`DELETE FROM ${table} WHERE request_id = $1`, [id]);
    expect(await sqlState(gone)).toBe(HELD);
  });

  it('cannot delete a held request row, clear the text of a record, or drop the HTML of an app', async () => {
    const { id, bundle } = await stored();
    await hold(id);
    const states = [
      await sqlState(deletion.query('DELETE FROM request WHERE id = $1', [id])),
      await sqlState(deletion.query('UPDATE record SET record = NULL WHERE request_id = $1', [id])),
      await sqlState(deletion.query('UPDATE bundle SET html = NULL WHERE id = $1', [bundle])),
    ];
    expect(states).toEqual([HELD, HELD, HELD]);
  });

  it('deletes other requests and apps beside a held one', async () => {
    const held = await stored();
    const other = await stored();
    await hold(held.id);
    await deleteRequest(other.id);
    await deletion.query('UPDATE bundle SET html = NULL WHERE id = $1', [other.bundle]);
    expect([await left(held.id), await left(other.id)]).toEqual([ALL, NONE]);
  });
});

it('a service that discards material on request cannot discard that of a held one', async () => {
  const { id } = await stored();
  await hold(id);
  const discarded = request.query('DELETE FROM material WHERE request_id = $1', [id]);
  expect(await sqlState(discarded)).toBe(HELD);
});

describe('a hold', () => {
  it('holds no more once it was lifted', async () => {
    const { id } = await stored();
    await lift(await hold(id));
    await deleteRequest(id);
    expect(await left(id)).toEqual(NONE);
  });

  it('holds no more once it ran out', async () => {
    const { id } = await stored();
    await hold(id, '-1 millisecond');
    await deleteRequest(id);
    expect(await left(id)).toEqual(NONE);
  });

  it('holds while one of several is in force', async () => {
    const { id } = await stored();
    await lift(await hold(id));
    const second = await hold(id);
    expect(await sqlState(deleteRequest(id))).toBe(HELD);
    await lift(second);
    await deleteRequest(id);
    expect(await left(id)).toEqual(NONE);
  });

  it('of another tenant holds nothing', async () => {
    const { id } = await stored();
    await owner.query(
      `WITH h AS (INSERT INTO hold SELECT 'other', gen_random_uuid(), 1, 'case', now() + '1 year', 'c', 'p', now() RETURNING id)
       INSERT INTO lifecycle SELECT (jsonb_populate_record(l, '{"tenant": "other"}')).* FROM lifecycle l WHERE request_id = $1`,
      [id],
    );
    await owner.query(
      `INSERT INTO hold_item SELECT 'other', $1, id, until FROM hold WHERE tenant = 'other'`,
      [id],
    );
    await deleteRequest(id);
    expect(await left(id)).toEqual(NONE);
  });

  it('is not set on a request that is gone', async () => {
    const { id } = await stored();
    await deleteRequest(id);
    expect(await sqlState(hold(id))).toBe(GONE);
  });

  test.each([
    ['ends earlier', `until = until - interval '1 second'`],
    ['comes back after its lift', 'lifted_at = NULL'],
  ])('never %s', async (name, change) => {
    const { id } = await stored();
    const holdId = await hold(id);
    if (name !== 'ends earlier') await lift(holdId);
    const changed = owner.query(`UPDATE hold_item SET ${change} WHERE hold_id = $1`, [holdId]);
    expect(await sqlState(changed)).toBe(SHRINKS);
  });

  test.each(['hold', 'hold_item'])('is not in the hands of the deletion: %s', async (table) => {
    for (const change of [`UPDATE ${table} SET lifted_at = now()`, `DELETE FROM ${table}`]) {
      expect(await sqlState(deletion.query(change))).toBe(REFUSED);
    }
  });
});

describe('a hold and a deletion at once', () => {
  it('keep everything when the hold came first', async () => {
    const { id } = await stored();
    const setting = await owner.connect();
    await setting.query('BEGIN');
    await hold(id, '1 year', setting);
    const deleting = sqlState(deleteRequest(id));
    await waitingFor(1);
    await setting.query('COMMIT');
    setting.release();
    expect(await deleting).toBe(HELD);
    expect(await left(id)).toEqual(ALL);
  });

  it('hold nothing when the deletion came first', async () => {
    const { id } = await stored();
    const removing = await deletion.connect();
    await removing.query('BEGIN');
    await removing.query('SELECT FROM lifecycle WHERE request_id = $1 FOR UPDATE', [id]);
    await removing.query('DELETE FROM material WHERE request_id = $1', [id]);
    await removing.query('DELETE FROM lifecycle WHERE request_id = $1', [id]);
    const setting = sqlState(hold(id));
    await waitingFor(1);
    await removing.query('COMMIT');
    removing.release();
    expect(await setting).toBe(GONE);
  });
});

/** Until so many statements of the database wait for a lock. */
async function waitingFor(many: number): Promise<void> {
  for (;;) {
    const { rows } = await owner.query<{ waiting: number }>(
      `SELECT count(*)::integer AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.waiting ?? 0) >= many) return;
  }
}

it('the guard finds the holds of a request by the index', async () => {
  await owner.query('ANALYZE hold_item');
  const plan = async (condition: string) => {
    const client = await owner.connect();
    await client.query('SET enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT FROM hold_item h WHERE h.tenant = '${TENANT}' AND ${condition}`,
    );
    await client.query('RESET enable_seqscan');
    client.release();
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  expect(await plan(`h.request_id = '${randomUUID()}'`)).toMatch(/Index.*hold_item_pkey/);
});
