import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DEFAULT_LIMITS, valueDigest } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';
import { newRoute } from '../../support/own-route.js';
import { authorisedRequest, reviewInput, until } from '../../support/requests.js';
import {
  count,
  deadlinesOf,
  executedRequest,
  feedOf,
  incidentsOf,
  newRequest,
  ownExecution,
  pass,
  rowsOf,
  startFixture,
  untilDone,
  untilGone,
  verifiedLedger,
  wakeDeadlines,
} from './fixture.js';
import type { Fixture } from './fixture.js';

/** Protocol §11.3: the parts of a request that stay after its audit, over two replicas of the request service and its worker. */
describe('audit deletion', () => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture({ split: true });
  });
  afterAll(() => fixture?.stop());

  /** The last transaction that held the request's row without writing it; "0" before the first one. */
  async function lockerOf(id: string): Promise<string> {
    const { rows } = await fixture.database.query<{ locker: string }>(
      'SELECT xmax::text AS locker FROM lifecycle WHERE request_id = $1',
      [id],
    );
    return rows[0]?.locker ?? '';
  }

  const requestOf = (record: SignedRecord) =>
    (record.payload as { request_id?: string }).request_id;

  it('leaves the chain without texts and the facts taken for ever, and nothing else', async () => {
    const { producer, reviewer, operator } = fixture;
    const createKey = randomUUID();
    const input = ownExecution(fixture);
    const { id, identity, occurrence } = await executedRequest(fixture, { input, key: createKey });
    expect(await count(fixture, 'nonce WHERE request_id = $1', [id])).toBe(1);
    const cancelKey = randomUUID();
    expect((await producer.post(`/v2/requests/${id}/cancel`, {}, { key: cancelKey })).status).toBe(
      200,
    );
    await fixture.database.query(
      `INSERT INTO delivery (tenant, id, request_id, kind, state, created_at)
       VALUES ($1, gen_random_uuid(), $2, 'webhook', 'accepted', clock_timestamp())`,
      [fixture.demo.tenant, id],
    );
    const next = await newRequest(fixture, reviewInput(fixture.demo));
    // Once the last event is chained, those before it are.
    const before = await until(
      () => feedOf(fixture),
      (records) => records.some((record) => requestOf(record) === next),
    );
    const mine = before.filter((record) => requestOf(record) === id);
    expect(mine.length).toBeGreaterThan(5);

    await pass(fixture, 'private_deletion', id);
    await untilDone(fixture, id, 'private_deletion');
    const entries = (await verifiedLedger(fixture)).filter(({ request_id }) => request_id === id);
    await pass(fixture, 'audit_deletion', id);
    await untilGone(fixture, id);

    expect(await rowsOf(fixture, id)).toEqual({
      execution_identity: 1,
      ledger_entry: entries.length,
      occurrence: 1,
      record: entries.length,
      idempotency: 1,
    });
    expect(await count(fixture, 'record WHERE request_id = $1 AND record IS NOT NULL', [id])).toBe(
      0,
    );
    const after = (await verifiedLedger(fixture)).filter(({ request_id }) => request_id === id);
    expect(after).toEqual(entries.map((entry) => ({ ...entry, record: null })));

    for (const path of ['', '/material', '/export', '/app']) {
      const answer = await (path === '/app' ? reviewer : producer).get(`/v2/requests/${id}${path}`);
      expect([path, answer.status, answer.body.error]).toEqual([path, 404, 'not_found']);
    }
    for (const path of [`/v2/hitl/${id}`, `/v2/hitl/${id}/poll`]) {
      expect((await producer.get(path)).status).toBe(404);
    }
    for (const operation of ['cancel', 'revoke', 'discard', 'remind']) {
      const answer = await operator.post(`/v2/requests/${id}/${operation}`);
      expect([operation, answer.status]).toEqual([operation, 404]);
    }
    const listed = await producer.get('/v2/requests');
    expect(listed.body.items.map((item: { id: string }) => item.id)).not.toContain(id);
    // A key that named the request went with it; the one that made it answers that its answer is gone.
    const cancelled = await producer.post(`/v2/requests/${id}/cancel`, {}, { key: cancelKey });
    expect([cancelled.status, cancelled.body.error]).toEqual([404, 'not_found']);
    const recreated = await producer.post('/v2/requests', input, { key: createKey });
    expect([recreated.status, recreated.body.error]).toEqual([410, 'idempotent_result_expired']);

    const again = await producer.post(
      '/v2/requests',
      ownExecution(fixture, { action_occurrence_id: occurrence }),
    );
    expect([again.status, again.body.error]).toEqual([409, 'occurrence_unavailable']);
    const other = await authorisedRequest(fixture.demo, producer, reviewer);
    const claimed = await producer.post(`/v2/requests/${other.body.request.id}/claims`, {
      execution_identity: identity,
      execution_binding_digest: valueDigest(other.body.request.execution),
    });
    expect([claimed.status, claimed.body.error]).toEqual([409, 'identity_conflict']);
    // The consumed occurrence is known for ever: it can be recovered from.
    const recovered = await producer.post(
      '/v2/requests',
      ownExecution(fixture, { recovery_of: occurrence }),
    );
    expect(recovered.status).toBe(201);

    // The feed has holes and no new numbers.
    const numbered = await numbers();
    const later = await newRequest(fixture, reviewInput(fixture.demo));
    const told = await until(
      () => feedOf(fixture),
      (records) => records.some((record) => requestOf(record) === later),
    );
    expect(told.filter((record) => requestOf(record) === id)).toEqual([]);
    expect(told.filter((record) => requestOf(record) === next)).toEqual(
      before.filter((record) => requestOf(record) === next),
    );
    expect(await numbers()).toEqual(expect.arrayContaining(numbered));
    expect(Math.max(...(await numbers()))).toBeGreaterThan(Math.max(...numbered));

    async function numbers(): Promise<number[]> {
      const { rows } = await fixture.database.query<{ sequence: string }>(
        'SELECT sequence FROM event WHERE tenant = $1 AND owner = $2 ORDER BY sequence',
        [fixture.demo.tenant, fixture.demo.producer.id],
      );
      return rows.map(({ sequence }) => Number(sequence));
    }
  });

  it('leaves operators the evidence that the request was there, and others nothing', async () => {
    const { producer, operator } = fixture;
    const { id } = await executedRequest(fixture, { input: ownExecution(fixture) });
    await pass(fixture, 'private_deletion', id);
    await untilDone(fixture, id, 'private_deletion');
    await pass(fixture, 'audit_deletion', id);
    await untilGone(fixture, id);
    const path = `/v2/requests/${id}/evidence`;
    expect((await producer.get(path)).body.error).toBe('not_found');
    const { status, body } = await until(
      () => operator.get(path),
      (answer) => answer.status !== 409,
    );
    expect([status, body.export]).toEqual([200, null]);
    expect(body.remains.length).toBeGreaterThan(8);
    for (const { record } of body.remains) expect(record).toBeNull();
    const unknown = `/v2/requests/${randomUUID()}/evidence`;
    expect((await operator.get(unknown)).body.error).toBe('not_found');
  });

  it('takes private material with it that is still there', async () => {
    const { operator } = fixture;
    const bytes = async () =>
      (await operator.get('/v2/admin/metrics')).body.requests.retained_bytes as number;
    const before = await bytes();
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    expect(
      (
        await fixture.reviewer.post(`/v2/requests/${id}/candidates`, {
          response: { note: 'seen' },
          decision: 'answer',
        })
      ).status,
    ).toBe(201);
    await pass(fixture, 'audit_deletion', id);
    await untilGone(fixture, id);
    const { idempotency, ledger_entry, record, ...rest } = await rowsOf(fixture, id);
    expect([idempotency, ledger_entry, record, rest]).toEqual([1, 1, 1, {}]);
    expect(await bytes()).toBe(before);
  });

  it('comes a second after the creation where a route says so', async () => {
    const { operator, demo, reviewerId } = fixture;
    const own = await newRoute(demo, operator, [reviewerId], {
      ...DEFAULT_LIMITS,
      audit_seconds: 1,
    });
    const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
    expect(created.status).toBe(201);
    await untilGone(fixture, created.body.request.id);
    expect(await verifiedLedger(fixture)).not.toEqual([]);
  });

  it('waits for evidence that is not chained, so that no event of it comes afterwards', async () => {
    const { producer, operator, demo } = fixture;
    const failedAt = async () => {
      const { body } = await operator.get('/v2/admin/metrics');
      const operations = body.operations as { name: string; failed_at: string | null }[];
      return operations.find(({ name }) => name === 'retention')?.failed_at ?? null;
    };
    const holder = new pg.Client({ connectionString: fixture.urls.DATABASE_URL });
    await holder.connect();
    let id: string;
    try {
      // As if another process were draining, for long.
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM ledger_head WHERE tenant = $1 FOR UPDATE', [demo.tenant]);
      id = await newRequest(fixture, reviewInput(demo));
      const before = await failedAt();
      await pass(fixture, 'audit_deletion', id);
      // For moments that is no fault: it was tried twice, and no failure was reported.
      const tried = new Set<string>();
      await until(
        async () => tried.add(await lockerOf(id)).size,
        (lockers) => lockers > 2,
      );
      expect(await failedAt()).toBe(before);
      expect(await attempts()).toBe(0);
      // After a minute it is.
      await fixture.database.query(
        `UPDATE lifecycle SET audit_delete_at = clock_timestamp() - interval '61 seconds' WHERE request_id = $1`,
        [id],
      );
      await until(attempts, (many) => many > 0);
      expect((await producer.get(`/v2/requests/${id}`)).status).toBe(200);
    } finally {
      await holder.query('ROLLBACK');
      await holder.end();
    }
    await until(
      () => count(fixture, 'event WHERE request_id = $1', [id]),
      (events) => events === 1,
    );
    await wakeDeadlines(fixture, id);
    await untilGone(fixture, id);
    expect(await count(fixture, 'event WHERE request_id = $1', [id])).toBe(0);

    async function attempts(): Promise<number> {
      const rows = await deadlinesOf(fixture, id);
      return rows.find(({ kind }) => kind === 'audit_deletion')?.attempts ?? 0;
    }
  });

  it('is one for many jobs, beside callers that still move the request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => newRequest(fixture, reviewInput(fixture.demo))),
    );
    await pass(fixture, 'audit_deletion', ...ids);
    const jobs = ids.flatMap((id) =>
      Array.from({ length: 5 }, (_, place) => ({
        jobId: `audit-${id}-${place}`,
        data: { tenant: fixture.demo.tenant, requestId: id, kind: 'audit_deletion', due: 0 },
        delayMs: 0,
      })),
    );
    const [answers] = await Promise.all([
      Promise.all(
        ids.flatMap((id) => [
          fixture.producer.post(`/v2/requests/${id}/cancel`),
          fixture.producer.post(`/v2/requests/${id}/discard`),
        ]),
      ),
      fixture.jobs.enqueueAll('worker-deletion', jobs),
    ]);
    expect(
      [...new Set(answers.map(({ status }) => status))].filter((s) => s !== 200 && s !== 404),
    ).toEqual([]);
    for (const id of ids) {
      await wakeDeadlines(fixture, id);
      await untilGone(fixture, id);
      // The security log keeps who discarded it for as long as the ledger keeps its chain.
      const { security_event, security_entry, ...rows } = await rowsOf(fixture, id);
      expect((security_event ?? 0) + (security_entry ?? 0)).toBeLessThanOrEqual(1);
      const { idempotency, ledger_entry, record, ...rest } = rows;
      expect([idempotency, rest]).toEqual([1, {}]);
      expect(record).toBe(ledger_entry);
    }
    expect(
      await count(fixture, 'record WHERE request_id = ANY ($1) AND record IS NOT NULL', [ids]),
    ).toBe(0);
    await verifiedLedger(fixture);
  });

  it('skips a poisoned row, reports it once, and continues with the others', async () => {
    const { id: bad } = await executedRequest(fixture);
    const good = await newRequest(fixture, reviewInput(fixture.demo));
    await fixture.database.query(
      `CREATE FUNCTION poisoned() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'poisoned'; END $$;
       CREATE TRIGGER poisoned BEFORE DELETE ON nonce FOR EACH ROW
         WHEN (OLD.request_id = '${bad}') EXECUTE FUNCTION poisoned()`,
    );
    await fixture.database.query(
      `UPDATE deadline SET attempts = 3 WHERE request_id = $1 AND kind = 'audit_deletion'`,
      [bad],
    );
    await pass(fixture, 'audit_deletion', bad, good);
    await untilGone(fixture, good);
    await until(
      async () => {
        const attempts = (await deadlinesOf(fixture, bad)).find(
          ({ kind }) => kind === 'audit_deletion',
        )!.attempts;
        if (attempts < 6) await wakeDeadlines(fixture, bad);
        return attempts;
      },
      (attempts) => attempts >= 6,
    );
    expect(await incidentsOf(fixture, bad)).toEqual(['retention_stalled']);
    // All or nothing: the failed deletion removed nothing.
    expect((await fixture.producer.get(`/v2/requests/${bad}`)).status).toBe(200);
    await fixture.database.query('DROP TRIGGER poisoned ON nonce; DROP FUNCTION poisoned()');
    await wakeDeadlines(fixture, bad);
    await untilGone(fixture, bad);
  });
});
