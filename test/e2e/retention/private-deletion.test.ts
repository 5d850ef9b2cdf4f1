import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { SignedRecord } from '@countersign/protocol';
import {
  decide,
  executionInput,
  reviewInput,
  until,
  untilAvailable,
  claimInput,
} from '../../support/requests.js';
import {
  chainedTypes,
  count,
  deadlinesOf,
  eventsOf,
  executedRequest,
  feedOf,
  incidentsOf,
  newRequest,
  pass,
  reasonsOf,
  startFixture,
  untilChained,
  untilDone,
  verifiedLedger,
  wakeDeadlines,
} from './fixture.js';
import type { Fixture } from './fixture.js';

/** Protocol §11.2, by the worker, over both stores that queues can have. */
describe.each([
  { name: 'queues in PostgreSQL, one process', split: false },
  { name: 'queues in Redis, two replicas of its worker', split: true },
])('private deletion: $name', ({ split }) => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ split });
  });
  afterAll(() => fixture?.stop());

  const retainedBytes = async () =>
    (await fixture.operator.get('/v2/admin/metrics')).body.requests.retained_bytes as number;

  it('takes payload, schema, document and candidates of a pending review, with one event', async () => {
    const { demo, producer, reviewer } = fixture;
    const before = await retainedBytes();
    const key = randomUUID();
    const created = await producer.post('/v2/requests', reviewInput(demo), { key });
    const id = created.body.request.id as string;
    const proposal = { response: { note: 'seen' }, decision: 'answer' };
    const candidates = `/v2/requests/${id}/candidates`;
    expect((await reviewer.post(candidates, proposal, { key })).status).toBe(201);
    expect(await retainedBytes()).toBeGreaterThan(before);

    // Both times have come: the deletion's event is the only one (protocol §11.1).
    await fixture.database.query(
      `UPDATE lifecycle SET review_deadline = clock_timestamp() - interval '2 seconds',
         private_delete_at = clock_timestamp() - interval '1 second' WHERE request_id = $1`,
      [id],
    );
    // Material is unreadable from that moment, whether or not the worker has come.
    expect((await producer.get(`/v2/requests/${id}/material`)).status).toBe(410);
    await pass(fixture, 'private_deletion', id);
    await pass(fixture, 'review', id);
    await untilDone(fixture, id, 'private_deletion');

    expect(await eventsOf(fixture, id)).toMatchObject([
      { reason: 'created', revision: 1 },
      { reason: 'material_deleted', revision: 2, state: { decision: 'expired' } },
    ]);
    expect(await chainedTypes(fixture, id)).toEqual([
      'RequestChangedEvent',
      'MaterialDiscarded',
      'RequestChangedEvent',
    ]);
    const discarded = (await verifiedLedger(fixture))
      .map(({ record }) => JSON.parse(record ?? 'null') as SignedRecord)
      .find(
        ({ protected: { type }, payload }) =>
          type === 'MaterialDiscarded' && (payload as { request_id: string }).request_id === id,
      );
    expect(discarded?.payload).toEqual({
      request_id: id,
      request_digest: created.body.request_digest,
      reason: 'retention',
      recorded_by: { kind: 'system', subject: 'proto.retention' },
    });

    for (const table of ['material', 'candidate']) {
      expect([table, await count(fixture, `${table} WHERE request_id = $1`, [id])]).toEqual([
        table,
        0,
      ]);
    }
    expect(await retainedBytes()).toBe(before);
    expect((await producer.get(`/v2/requests/${id}/material`)).body.error).toBe('material_deleted');
    const replayed = await reviewer.post(candidates, proposal, { key });
    expect([replayed.status, replayed.body.error]).toEqual([410, 'idempotent_result_expired']);
    // The answer to the creation has no material, and stays.
    const recreated = await producer.post('/v2/requests', reviewInput(demo), { key });
    expect([recreated.status, recreated.text]).toEqual([201, created.text]);

    const exported = await producer.get(`/v2/requests/${id}/export`);
    expect([exported.status, exported.body.material]).toEqual([200, null]);
    const done = (await deadlinesOf(fixture, id)).map(({ kind, done: is }) => [kind, is]);
    expect(done).toEqual([
      ['audit_deletion', false],
      ['private_deletion', true],
      ['review', true],
    ]);
  });

  it('revokes an unused grant and ends the authority', async () => {
    const { demo, producer, reviewer } = fixture;
    const id = await newRequest(fixture, executionInput(demo));
    expect((await decide(reviewer, id, 'authorise')).status).toBe(200);
    const status = await untilAvailable(producer, id);
    await pass(fixture, 'private_deletion', id);
    await untilDone(fixture, id, 'private_deletion');
    expect(await reasonsOf(fixture, id)).toEqual([
      'created',
      'decision',
      'anchor_accepted',
      'material_deleted',
    ]);
    expect((await producer.get(`/v2/requests/${id}`)).body).toMatchObject({
      decision_state: 'confirmed',
      audit_state: 'anchored',
      grant_state: 'revoked',
      execution_state: 'unclaimed',
    });
    const { rows } = await fixture.database.query(
      'SELECT invalidated FROM lifecycle WHERE request_id = $1',
      [id],
    );
    expect(rows).toEqual([{ invalidated: 'retention' }]);
    const claim = await producer.post(`/v2/requests/${id}/claims`, claimInput(status));
    expect([claim.status, claim.body.error]).toEqual([409, 'authority_revoked']);
  });

  it('sends no mail of the request any more; webhooks go on', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    const other = await newRequest(fixture, reviewInput(fixture.demo));
    await fixture.database.query(
      `INSERT INTO delivery (tenant, id, request_id, kind, state, created_at)
       SELECT $1, gen_random_uuid(), x.id::uuid, x.kind, x.state, clock_timestamp()
       FROM (VALUES ($2, 'smtp', 'pending'), ($2, 'smtp', 'accepted'), ($2, 'webhook', 'pending'), ($3, 'smtp', 'pending'))
         AS x (id, kind, state)`,
      [fixture.demo.tenant, id, other],
    );
    await pass(fixture, 'private_deletion', id);
    await untilDone(fixture, id, 'private_deletion');
    const statesOf = async (of: string) => {
      const { rows } = await fixture.database.query<{ kind: string; state: string }>(
        'SELECT kind, state FROM delivery WHERE request_id = $1 AND recipient IS NULL ORDER BY kind, state',
        [of],
      );
      return rows.map(({ kind, state }) => `${kind} ${state}`);
    };
    expect(await statesOf(id)).toEqual(['smtp accepted', 'smtp expired', 'webhook pending']);
    expect(await statesOf(other)).toEqual(['smtp pending']);
  });

  it('comes earlier when an outcome brings the time forward', async () => {
    const { id } = await executedRequest(fixture);
    const before = Date.now();
    const due = (await deadlinesOf(fixture, id)).find(
      ({ kind }) => kind === 'private_deletion',
    )!.due;
    const { request } = (await fixture.producer.get(`/v2/requests/${id}`)).body;
    const { reconciliation_seconds } = request.limits;
    expect(due.getTime()).toBeLessThan(Date.parse(request.private_delete_at));
    expect(Math.abs(due.getTime() - before - reconciliation_seconds * 1000)).toBeLessThan(10_000);
    const { rows } = await fixture.database.query<{ at: Date }>(
      'SELECT private_delete_at AS at FROM lifecycle WHERE request_id = $1',
      [id],
    );
    expect(rows[0]?.at).toEqual(due);
  });

  it('has no event left after a discard, and is done at once', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    expect((await fixture.producer.post(`/v2/requests/${id}/discard`)).status).toBe(200);
    await untilDone(fixture, id, 'private_deletion');
    expect(await chainedTypes(fixture, id)).toEqual([
      'RequestChangedEvent',
      'MaterialDiscarded',
      'RequestChangedEvent',
    ]);
    expect(await reasonsOf(fixture, id)).toEqual(['created', 'material_deleted']);
  });

  it.each(['worker', 'discard'] as const)(
    'takes a candidate too that was being frozen when the %s came',
    async (who) => {
      const { demo, producer, database } = fixture;
      const id = await newRequest(fixture, reviewInput(demo));
      // As `review.propose` does: it locks the request at the version that it read, without changing it.
      const frozen = new pg.Client({ connectionString: fixture.urls.DATABASE_URL });
      await frozen.connect();
      try {
        await frozen.query('BEGIN');
        await frozen.query('SELECT 1 FROM lifecycle WHERE request_id = $1 FOR SHARE', [id]);
        const waits = who === 'discard' ? producer.post(`/v2/requests/${id}/discard`) : null;
        if (who === 'worker') await pass2(id);
        await until(
          () => count(fixture, `pg_locks WHERE NOT granted AND locktype = 'transactionid'`),
          (waiting) => waiting > 0,
        );
        await frozen.query(
          `INSERT INTO candidate (tenant, request_id, reviewer, revision, id, digest, candidate, created_at)
           VALUES ($1, $2, 'rev', 1, gen_random_uuid(), 'd', 'private', clock_timestamp())`,
          [demo.tenant, id],
        );
        await frozen.query(
          `INSERT INTO idempotency (tenant, principal, operation, key, digest, status, result, request_id, created_at)
           VALUES ($1, 'rev', $2, 'k', 'd', 201, 'private', $3, clock_timestamp())`,
          [demo.tenant, `review.propose:${id}`, id],
        );
        await frozen.query('COMMIT');
        if (waits !== null) expect((await waits).status).toBe(200);
      } finally {
        await frozen.end();
      }
      await untilDone(fixture, id, 'private_deletion');
      expect(await count(fixture, 'candidate WHERE request_id = $1', [id])).toBe(0);
      const { rows } = await database.query(
        `SELECT result FROM idempotency WHERE request_id = $1 AND operation LIKE 'review.propose:%'`,
        [id],
      );
      expect(rows).toEqual([{ result: null }]);
      expect(await reasonsOf(fixture, id)).toEqual(['created', 'material_deleted']);

      /** The state's own time is part of the row that is held, so it had to pass before. */
      async function pass2(of: string): Promise<void> {
        await frozen.query(
          `UPDATE lifecycle SET private_delete_at = clock_timestamp() - interval '1 second' WHERE request_id = $1`,
          [of],
        );
        await frozen.query('COMMIT');
        await frozen.query('BEGIN');
        await frozen.query('SELECT 1 FROM lifecycle WHERE request_id = $1 FOR SHARE', [of]);
        await database.query(
          `UPDATE deadline SET due = clock_timestamp() - interval '1 second'
           WHERE request_id = $1 AND kind = 'private_deletion'`,
          [of],
        );
      }
    },
  );

  it('has one effect of a job that comes many times, and none of one that comes early', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    const data = { tenant: fixture.demo.tenant, requestId: id, kind: 'private_deletion', due: 0 };
    await fixture.jobs.enqueue('worker-deletion', `early-${id}`, data);
    const later = await newRequest(fixture, reviewInput(fixture.demo));
    await pass(fixture, 'private_deletion', later);
    await untilDone(fixture, later, 'private_deletion');
    expect(await count(fixture, 'material WHERE request_id = $1', [id])).toBe(1);

    await pass(fixture, 'private_deletion', id);
    await fixture.jobs.enqueueAll(
      'worker-deletion',
      Array.from({ length: 50 }, (_, place) => ({
        jobId: `double-${id}-${place}`,
        data,
        delayMs: 0,
      })),
    );
    await untilDone(fixture, id, 'private_deletion');
    expect(await chainedTypes(fixture, id)).toEqual([
      'RequestChangedEvent',
      'MaterialDiscarded',
      'RequestChangedEvent',
    ]);
  });

  it('deletes many at once, each one time', async () => {
    const ids = await Promise.all(
      Array.from({ length: 40 }, () => newRequest(fixture, reviewInput(fixture.demo))),
    );
    await pass(fixture, 'private_deletion', ...ids);
    for (const id of ids) await untilDone(fixture, id, 'private_deletion');
    await untilChained(fixture, ...ids);
    const told = (await feedOf(fixture))
      .map(({ payload }) => payload as { request_id: string; reason: string })
      .filter(
        ({ request_id, reason }) => ids.includes(request_id) && reason === 'material_deleted',
      );
    expect(told.map(({ request_id }) => request_id).sort()).toEqual([...ids].sort());
    expect(
      await count(fixture, `record WHERE type = 'MaterialDiscarded' AND request_id = ANY ($1)`, [
        ids,
      ]),
    ).toBe(ids.length);
  });

  it('skips a poisoned row, reports it once, and continues with the others', async () => {
    const bad = await newRequest(fixture, reviewInput(fixture.demo));
    const others = await Promise.all(
      Array.from({ length: 5 }, () => newRequest(fixture, reviewInput(fixture.demo))),
    );
    await fixture.database.query(
      `CREATE FUNCTION poisoned() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'poisoned'; END $$;
       CREATE TRIGGER poisoned BEFORE DELETE ON material FOR EACH ROW
         WHEN (OLD.request_id = '${bad}') EXECUTE FUNCTION poisoned()`,
    );
    await fixture.database.query(
      `UPDATE deadline SET attempts = 3 WHERE request_id = $1 AND kind = 'private_deletion'`,
      [bad],
    );
    await pass(fixture, 'private_deletion', bad, ...others);
    for (const id of others) await untilDone(fixture, id, 'private_deletion');
    await until(
      async () => {
        const [{ attempts } = { attempts: 0 }] = (await deadlinesOf(fixture, bad)).filter(
          ({ kind }) => kind === 'private_deletion',
        );
        if (attempts < 6) await wakeDeadlines(fixture, bad);
        return attempts;
      },
      (attempts) => attempts >= 6,
      25_000,
    );
    expect(await incidentsOf(fixture, bad)).toEqual(['retention_stalled']);
    const operations = (await fixture.operator.get('/v2/admin/metrics')).body.operations as {
      name: string;
      succeeded_at: string | null;
      failed_at: string | null;
    }[];
    const retention = operations.find(({ name }) => name === 'retention');
    expect(Date.parse(retention?.failed_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(Date.parse(retention?.succeeded_at ?? '')).toBeGreaterThan(Date.now() - 60_000);

    await fixture.database.query('DROP TRIGGER poisoned ON material; DROP FUNCTION poisoned()');
    await wakeDeadlines(fixture, bad);
    await untilDone(fixture, bad, 'private_deletion');
    expect(await reasonsOf(fixture, bad)).toEqual(['created', 'material_deleted']);
  });
});
