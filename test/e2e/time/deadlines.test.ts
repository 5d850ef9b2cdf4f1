import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { QUEUES_ROLE } from '@countersign/database';
import { DEFAULT_LIMITS } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';
import { createLogger } from '@countersign/platform';
import { createJobs } from '@countersign/platform/jobs';
import type { Jobs } from '@countersign/platform/jobs';
import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import { startInstance, workersOnly } from '../../support/instance.js';
import type { Demo, Instance } from '../../support/instance.js';
import {
  PATIENT_ENQUEUE_MS,
  claimInput,
  decide,
  executionBinding,
  executionInput,
  reviewInput,
  until,
  untilAvailable,
} from '../../support/requests.js';

interface ChangedEvent {
  readonly request_id: string;
  readonly reason: string;
  readonly revision: number;
  readonly state: Record<string, string>;
}

/** The workers of deadlines. */
const TWICE = { 'worker-expiry': 2, 'worker-deletion': 2, 'worker-reconciliation': 2 };

/**
 * Deadlines that no call brings about, over both stores that queues can have (protocol §11.1, R23, invariant I12).
 */
describe.each([
  { name: 'queues in PostgreSQL, one process', split: false },
  { name: 'queues in Redis, two replicas of its workers', split: true },
])('$name', ({ split }) => {
  let instance: Instance;
  let demo: Demo;
  let database: pg.Client;
  let redis: Redis | null = null;
  let jobs: Jobs;
  let producer: Client;
  let operator: Client;
  let reviewer: Client;

  beforeAll(async () => {
    instance = await startInstance({
      split,
      ...(split ? { replicas: { ...workersOnly('anchor'), ...TWICE } } : {}),
      env: { SWEEP_SECONDS: '1' },
    });
    const { dataDirectory } = instance;
    demo = instance.demo;
    const { urls } = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8')) as {
      urls: { DATABASE_URL: string; REDIS_URL?: string };
    };
    database = new pg.Client({ connectionString: urls.DATABASE_URL });
    await database.connect();
    if (urls.REDIS_URL !== undefined) redis = new Redis(urls.REDIS_URL);
    jobs = createJobs({
      enqueueMs: PATIENT_ENQUEUE_MS,
      log: createLogger({ name: 'test', level: 'silent' }),
      ...(split
        ? { redis: { urls: [urls.REDIS_URL as string] } }
        : { databaseUrl: `${urls.DATABASE_URL}?options=-c%20role%3D${QUEUES_ROLE}` }),
    });
    producer = producerOf(demo);
    operator = operatorOf(demo);
    reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  });
  afterAll(async () => {
    await jobs?.close();
    redis?.disconnect();
    await database?.end();
    await instance?.stop();
  });

  async function newRequest(input: Record<string, unknown>): Promise<string> {
    const created = await producer.post('/v2/requests', input);
    expect(created.status).toBe(201);
    return created.body.request.id;
  }

  async function eventsOf(id: string): Promise<ChangedEvent[]> {
    const events: ChangedEvent[] = [];
    for (let after = 0; ;) {
      const page = (await producer.get(`/v2/events?after=${after}`)).body as {
        items: SignedRecord[];
        next: number;
      };
      events.push(...page.items.map(({ payload }) => payload as unknown as ChangedEvent));
      if (page.items.length === 0) break;
      after = page.next;
    }
    return events.filter((event) => event.request_id === id);
  }

  const reasonsOf = async (id: string) => (await eventsOf(id)).map(({ reason }) => reason);

  async function deadlinesOf(id: string) {
    const { rows } = await database.query<{ kind: string; due: Date; done: boolean }>(
      'SELECT kind, due, done_at IS NOT NULL AS done FROM deadline WHERE request_id = $1 ORDER BY kind',
      [id],
    );
    return rows;
  }

  const isDone = async (id: string, kind: string) =>
    (await deadlinesOf(id)).find((row) => row.kind === kind)?.done === true;

  async function incidentsOf(id: string): Promise<string[]> {
    const { rows } = await database.query<{ code: string }>(
      'SELECT code FROM incident WHERE request_id = $1 ORDER BY created_at',
      [id],
    );
    return rows.map(({ code }) => code);
  }

  /** Brings a deadline into the past. The state's own time goes with it. */
  async function pass(id: string, kind: string, column: string | null): Promise<void> {
    await database.query(
      `UPDATE deadline SET due = clock_timestamp() - interval '1 second' WHERE request_id = $1 AND kind = $2`,
      [id, kind],
    );
    if (column === null) return;
    await database.query(
      `UPDATE lifecycle SET ${column} = clock_timestamp() - interval '1 second' WHERE request_id = $1`,
      [id],
    );
  }

  it('persists the expiry of a review with one event, in time', async () => {
    const id = await newRequest(reviewInput(demo, { review_seconds: 1 }));
    await until(
      () => reasonsOf(id),
      (reasons) => reasons.includes('expiry'),
    );
    expect(await eventsOf(id)).toMatchObject([
      { reason: 'created', revision: 1 },
      { reason: 'expiry', revision: 2, state: { decision: 'expired' } },
    ]);
    expect(await isDone(id, 'review')).toBe(true);
    const { rows } = await database.query('SELECT decision FROM lifecycle WHERE request_id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ decision: 'expired' }]);
  });

  it('persists a grant that ran out with one event', async () => {
    const execution = executionBinding({
      valid_until: new Date(Date.now() + 2_500).toISOString(),
    });
    const id = await newRequest(executionInput(demo, { execution }));
    expect((await decide(reviewer, id, 'authorise')).status).toBe(200);
    await until(
      () => reasonsOf(id),
      (reasons) => reasons.at(-1) === 'expiry',
    );
    expect(await reasonsOf(id)).toEqual(['created', 'decision', 'anchor_accepted', 'expiry']);
    expect((await eventsOf(id)).at(-1)?.state).toMatchObject({
      decision: 'confirmed',
      grant: 'expired',
    });
    expect(await isDone(id, 'grant')).toBe(true);
  });

  it('makes no event for an outcome in time', async () => {
    const id = await newRequest(reviewInput(demo));
    expect((await decide(reviewer, id, 'answer')).status).toBe(200);
    await pass(id, 'review', null);
    await until(
      () => isDone(id, 'review'),
      (done) => done,
    );
    expect(await reasonsOf(id)).not.toContain('expiry');
  });

  it('has one effect of a job that comes many times, and early, and by itself', async () => {
    const id = await newRequest(reviewInput(demo));
    const due = Date.now() - 1_000;
    const data = { tenant: demo.tenant, requestId: id, kind: 'review', due };
    // Too early: nothing happens, with any time in the job.
    await jobs.enqueue('worker-expiry', `early-${id}`, data);
    await database.query(
      `UPDATE lifecycle SET review_deadline = clock_timestamp() - interval '1 second' WHERE request_id = $1`,
      [id],
    );
    await jobs.enqueueAll(
      'worker-expiry',
      Array.from({ length: 50 }, (_, index) => ({
        jobId: `double-${id}-${index}`,
        data,
        delayMs: 0,
      })),
    );
    await until(
      () => reasonsOf(id),
      (reasons) => reasons.includes('expiry'),
    );
    await pass(id, 'review', null);
    await until(
      () => isDone(id, 'review'),
      (done) => done,
    );
    expect(await reasonsOf(id)).toEqual(['created', 'expiry']);
  });

  it('finds a deadline again whose job was lost', async () => {
    const id = await newRequest(reviewInput(demo, { review_seconds: 4 }));
    // The sweep has put a delayed job into the queue by now, or will: it is taken out until the time has come.
    const lose = async () =>
      redis === null
        ? database.query(`DELETE FROM bullmq.job WHERE queue LIKE '%worker-expiry'`)
        : redis.flushall();
    const { due } = (await deadlinesOf(id)).find((row) => row.kind === 'review')!;
    await until(
      async () => {
        await lose();
        return Date.now();
      },
      (now) => now >= due.getTime() - 100,
    );
    await until(
      () => reasonsOf(id),
      (reasons) => reasons.includes('expiry'),
    );
    expect(await reasonsOf(id)).toEqual(['created', 'expiry']);
  });

  it('reports once that an outcome is due, and that it never came, for any number of jobs', async () => {
    const id = await claimedRequest();
    await passExecution(id);
    const data = {
      ...{ tenant: demo.tenant, requestId: id, kind: 'reconciliation' },
      due: Date.now() - 1_000,
    };
    await jobs.enqueueAll(
      'worker-reconciliation',
      Array.from({ length: 20 }, (_, index) => ({
        jobId: `double-${id}-${index}`,
        data,
        delayMs: 0,
      })),
    );
    await until(
      () => reasonsOf(id),
      (reasons) => reasons.includes('reconciliation_due'),
    );
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      reason: 'reconciliation_due',
      state: { execution: 'claimed', grant: 'consumed' },
    });
    expect(await incidentsOf(id)).toEqual(['reconciliation_due']);
    const end = (await deadlinesOf(id)).find((row) => row.kind === 'reconciliation_end')!;
    expect(end.due.getTime() - Date.now()).toBeGreaterThan(
      (DEFAULT_LIMITS.reconciliation_seconds - 60) * 1000,
    );

    await pass(id, 'reconciliation_end', null);
    await until(
      () => isDone(id, 'reconciliation_end'),
      (done) => done,
    );
    expect(await incidentsOf(id)).toEqual(['reconciliation_overdue']);
    expect((await reasonsOf(id)).filter((reason) => reason === 'reconciliation_due')).toHaveLength(
      1,
    );
    const incidents = (await operator.get('/v2/admin/metrics')).body.incidents as {
      code: string;
    }[];
    expect(incidents.map(({ code }) => code)).toContain('reconciliation_overdue');
  });

  it('waits for no outcome that has come', async () => {
    const id = await claimedRequest();
    const claim = (await producer.get(`/v2/requests/${id}`)).body.claim.payload;
    const outcome = await producer.post(`/v2/requests/${id}/outcomes`, {
      execution_identity: claim.execution_identity,
      status: 'completed',
      details: {},
    });
    expect(outcome.status).toBe(200);
    expect((await deadlinesOf(id)).map(({ kind }) => kind)).not.toContain('reconciliation');
  });

  it('retries a poisoned row later, reports it once, and continues with the others', async () => {
    const bad = await newRequest(reviewInput(demo, { review_seconds: 1 }));
    await database.query(`UPDATE request SET canonical = 'no JSON' WHERE id = $1`, [bad]);
    await database.query(
      `UPDATE deadline SET attempts = 3 WHERE request_id = $1 AND kind = 'review'`,
      [bad],
    );
    const good = await newRequest(reviewInput(demo, { review_seconds: 1 }));
    await until(
      () => reasonsOf(good),
      (reasons) => reasons.includes('expiry'),
    );
    const rests = async () => {
      await database.query(
        `UPDATE deadline SET rests_until = NULL WHERE request_id = $1 AND attempts < 6`,
        [bad],
      );
      const { rows } = await database.query<{ attempts: number }>(
        `SELECT attempts FROM deadline WHERE request_id = $1 AND kind = 'review'`,
        [bad],
      );
      return rows[0]!.attempts;
    };
    await until(rests, (attempts) => attempts >= 6, 25_000);
    expect(await incidentsOf(bad)).toEqual(['retention_stalled']);
    await database.query('DELETE FROM deadline WHERE request_id = $1', [bad]);
  });

  async function claimedRequest(): Promise<string> {
    const execution = executionBinding({ execution_seconds: 1 });
    const id = await newRequest(executionInput(demo, { execution }));
    expect((await decide(reviewer, id, 'authorise')).status).toBe(200);
    const status = await untilAvailable(producer, id);
    expect((await producer.post(`/v2/requests/${id}/claims`, claimInput(status))).status).toBe(201);
    return id;
  }

  /** As if the grant had been given an hour earlier. */
  async function passExecution(id: string): Promise<void> {
    await database.query(
      `UPDATE lifecycle SET grant_deadline = clock_timestamp() - interval '5 seconds' WHERE request_id = $1`,
      [id],
    );
    await pass(id, 'reconciliation', null);
  }
});
