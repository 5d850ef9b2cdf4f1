import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Deadlines, asked, askOne } from '@countersign/database';
import { DeletionStore, HousekeepingStore, deletionStatements } from '@countersign/request';
import { hold, lift } from '../support/held.js';
import { startTestServer } from './server.js';
import type { TestPool, TestServer } from './server.js';
import { storedRequest } from './stored-request.js';

// How deletions rest while a legal hold keeps a request, and end their rest (protocol §20.7). Every test has a tenant of its own.

const KINDS = ['private_deletion', 'audit_deletion'] as const;
type Kind = (typeof KINDS)[number];

let server: TestServer;
let owner: pg.Pool;
let deletion: TestPool;
let store: DeletionStore;

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  deletion = server.pool(url, 'deletion');
  store = new DeletionStore(deletion);
});
afterAll(() => server.stop());

interface Due {
  readonly tenant: string;
  readonly id: string;
  readonly bundle: string;
}

/** A request whose deletions are due since an hour, and its review since then, too. */
async function due(tenant: string = randomUUID()): Promise<Due> {
  const { id, bundle } = await storedRequest(owner, tenant);
  await owner.query(
    `INSERT INTO deadline (tenant, request_id, kind, due)
     SELECT $1, $2, k, now() - interval '1 hour' FROM unnest($3::text[]) AS k`,
    [tenant, id, ['review', ...KINDS]],
  );
  await owner.query(
    `UPDATE lifecycle SET private_delete_at = now() - interval '1 hour', audit_delete_at = now() - interval '1 hour'
     WHERE request_id = $1`,
    [id],
  );
  return { tenant, id, bundle };
}

const itemOf = ({ tenant, id: requestId }: Due, kind: Kind) => ({
  ...{ tenant, requestId, kind, due: 0 },
});

async function restOf(
  { id }: Due,
  kind: string,
): Promise<{ attempts: number; until: number | null }> {
  const { rows } = await owner.query(
    'SELECT attempts, rests_until AS until FROM deadline WHERE request_id = $1 AND kind = $2',
    [id, kind],
  );
  return rows[0];
}

const endOf = async (holdId: string): Promise<number> =>
  (await owner.query('SELECT until FROM hold WHERE id = $1', [holdId])).rows[0].until;

const liftedAt = async (holdId: string): Promise<number> =>
  (await owner.query('SELECT lifted_at FROM hold WHERE id = $1', [holdId])).rows[0].lifted_at;

/** Until a statement of the database waits for a lock. */
async function waiting(): Promise<void> {
  for (;;) {
    const { rows } = await owner.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
}

describe('the rest of a deletion', () => {
  it('lasts until the last of the holds ends, and is no failure', async () => {
    const request = await due();
    await hold(owner, request.tenant, [request.id], '1 day');
    const last = await hold(owner, request.tenant, [request.id], '2 days');
    await owner.query('UPDATE deadline SET attempts = 3 WHERE request_id = $1', [request.id]);
    await store.concealMaterial(itemOf(request, 'private_deletion'));
    expect(await restOf(request, 'private_deletion')).toEqual({
      ...{ attempts: 0, until: await endOf(last) },
    });
    expect(await restOf(request, 'audit_deletion')).toEqual({ attempts: 3, until: null });
  });

  it('ends with the lift, for deletions and no other deadline', async () => {
    const request = await due();
    const holdId = await hold(owner, request.tenant, [request.id]);
    await store.concealMaterial(itemOf(request, 'private_deletion'));
    await lift(owner, holdId);
    const at = await liftedAt(holdId);
    expect((await restOf(request, 'private_deletion')).until).toBe(at);
    expect((await restOf(request, 'audit_deletion')).until).toBe(at);
    expect((await restOf(request, 'review')).until).toBeNull();
  });

  it('is not begun after a lift that came between', async () => {
    const request = await due();
    const holdId = await hold(owner, request.tenant, [request.id]);
    const lifting = await owner.connect();
    await lifting.query('BEGIN');
    await lift(lifting, holdId);
    const resting = store.concealMaterial(itemOf(request, 'private_deletion'));
    await waiting();
    await lifting.query('COMMIT');
    lifting.release();
    await resting;
    expect((await restOf(request, 'private_deletion')).until).toBe(await liftedAt(holdId));
  });

  it('is ended by a lift that waited for it', async () => {
    const request = await due();
    const holdId = await hold(owner, request.tenant, [request.id]);
    const { tenant, id } = request;
    const values = { tenant, request_id: id, kind: 'private_deletion' };
    const resting = await deletion.connect();
    await resting.query('BEGIN');
    await resting.query(asked(deletionStatements.HOLD_DEADLINE, values));
    await resting.query(asked(deletionStatements.REST_HELD, values));
    const lifting = lift(owner, holdId);
    await waiting();
    await resting.query('COMMIT');
    resting.release();
    await lifting;
    expect((await restOf(request, 'private_deletion')).until).toBe(await liftedAt(holdId));
  });

  it('counts as late from its end, and not before', async () => {
    const request = await due();
    const holdId = await hold(owner, request.tenant, [request.id]);
    const of = async (kind: Kind) => {
      const source = new Deadlines(deletion, [kind]);
      const { count, oldestMs } = await source.overdue();
      const upcoming = await source.upcoming(0, null, 100);
      const isUpcoming = upcoming.some(({ requestId }) => requestId === request.id);
      return { count, oldestMs, isUpcoming };
    };
    await owner.query('DELETE FROM deadline WHERE request_id <> $1', [request.id]);
    expect(await of('private_deletion')).toMatchObject({ count: 1, isUpcoming: true });
    await store.concealMaterial(itemOf(request, 'private_deletion'));
    expect(await of('private_deletion')).toEqual({ count: 0, oldestMs: 0, isUpcoming: false });
    await lift(owner, holdId);
    const { oldestMs, ...late } = await of('private_deletion');
    expect(late).toEqual({ count: 1, isUpcoming: true });
    expect(oldestMs).toBeLessThan(30 * 60_000);
    // A failure is late from the deadline on, as ever.
    await owner.query(
      `UPDATE deadline SET attempts = 1, rests_until = now() + interval '1 day' WHERE request_id = $1`,
      [request.id],
    );
    const failed = await of('private_deletion');
    expect(failed).toMatchObject({ count: 1, isUpcoming: false });
    expect(failed.oldestMs).toBeGreaterThan(59 * 60_000);
  });
});

describe('the audit deletion of a held request', () => {
  const hidden = async ({ id }: Due) =>
    (await owner.query('SELECT hidden FROM lifecycle WHERE request_id = $1', [id])).rows[0]?.hidden;

  it('waits for the deadline of its material, hides it, and comes after its record', async () => {
    const request = await due();
    const { tenant, id } = request;
    const holdId = await hold(owner, tenant, [id]);
    const audit = () => store.deleteRequest(itemOf(request, 'audit_deletion'));
    expect(await audit()).toMatchObject({ done: false });
    expect(await hidden(request)).toBeNull();
    await store.concealMaterial(itemOf(request, 'private_deletion'));
    expect(await audit()).toEqual({ lateMs: 0, done: true });
    expect(await hidden(request)).toBe(true);
    expect((await restOf(request, 'audit_deletion')).until).toBe(await endOf(holdId));
    const { rows } = await owner.query(
      'SELECT kind FROM deadline WHERE request_id = $1 ORDER BY 1',
      [id],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(['audit_deletion', 'private_deletion']);

    await lift(owner, holdId);
    // Its material is there still, and nothing says yet that it goes.
    expect(await audit()).toEqual({ lateMs: 0, done: false });
    await owner.query('UPDATE lifecycle SET material_deleted = true WHERE request_id = $1', [id]);
    const last = await audit();
    expect([last.done, last.lateMs < 30 * 60_000]).toEqual([true, true]);
    expect(await hidden(request)).toBeUndefined();
  });

  it('does not hide it before all evidence is chained', async () => {
    const request = await due();
    await hold(owner, request.tenant, [request.id]);
    await store.concealMaterial(itemOf(request, 'private_deletion'));
    await owner.query(
      `INSERT INTO record VALUES ($1, gen_random_uuid(), $2, 'RequestChangedEvent', 'd', now(), '{}')`,
      [request.tenant, request.id],
    );
    expect(await store.deleteRequest(itemOf(request, 'audit_deletion'))).toMatchObject({
      done: false,
    });
    expect(await hidden(request)).toBeNull();
  });

  it('is that of any request without a hold', async () => {
    const request = await due();
    const { lateMs, done } = await store.deleteRequest(itemOf(request, 'audit_deletion'));
    expect([done, lateMs > 59 * 60_000]).toEqual([true, true]);
    expect(await hidden(request)).toBeUndefined();
  });
});

describe('housekeeping', () => {
  it('leaves the HTML of an app to a held request whose material is gone', async () => {
    const { tenant, id, bundle } = await due();
    await owner.query('DELETE FROM material WHERE request_id = $1', [id]);
    await owner.query(`UPDATE bundle SET created_at = now() - interval '1 day' WHERE id = $1`, [
      bundle,
    ]);
    const holdId = await hold(owner, tenant, [id]);
    const bundles = new HousekeepingStore(deletion)
      .sets()
      .ofTenant.find(({ name }) => name === 'bundles')!;
    expect(await bundles.clear(tenant, 10, 0)).toBe(0);
    await lift(owner, holdId);
    expect(await bundles.clear(tenant, 10, 0)).toBe(1);
  });
});

it('figures count holds in force, and each request and its bytes once', async () => {
  await owner.query('DELETE FROM hold_item');
  const figures = () => askOne(deletion, deletionStatements.HELD.held, {});
  const none = { holds: 0, requests: 0, bytes: 0, firstEnd: null };
  expect(await figures()).toEqual(none);
  const [one, other] = [await due(), await due()];
  const first = await hold(owner, one.tenant, [one.id], '1 day');
  const second = await hold(owner, one.tenant, [one.id], '2 days');
  const third = await hold(owner, other.tenant, [other.id], '3 days');
  await hold(owner, other.tenant, [other.id], '-1 second');
  const firstEnd = (await endOf(first)) / 1000;
  expect(await figures()).toEqual({ holds: 3, requests: 2, bytes: 16, firstEnd });
  for (const id of [first, second, third]) await lift(owner, id);
  expect(await figures()).toEqual(none);
});
