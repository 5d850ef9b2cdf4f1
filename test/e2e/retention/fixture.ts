import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { loadTrust, verifyLedgerRange } from '@countersign/protocol';
import type {
  ChainPoint,
  LedgerEntry,
  RequestChangedEvent,
  SignedRecord,
} from '@countersign/protocol';
import { createLogger } from '@countersign/platform';
import { createJobs } from '@countersign/platform/jobs';
import type { Jobs } from '@countersign/platform/jobs';
import { Client, operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Answer } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Demo, Instance } from '../../support/instance.js';
import {
  PATIENT_ENQUEUE_MS,
  claimInput,
  decide,
  executionBinding,
  executionInput,
  until,
  untilAvailable,
} from '../../support/requests.js';

/** The callers, the database as its owner, and the queues as a worker sees them. */
export interface Fixture {
  readonly instance: Instance;
  readonly demo: Demo;
  readonly database: pg.Client;
  readonly jobs: Jobs;
  readonly producer: Client;
  readonly publisher: Client;
  readonly operator: Client;
  readonly reviewer: Client;
  readonly reviewerId: string;
  readonly urls: StoreUrls;
  stop(): Promise<void>;
}

export interface StoreUrls {
  readonly DATABASE_URL: string;
  readonly NATS_URL?: string;
  readonly REDIS_URL?: string;
}

/** In one process with queues in PostgreSQL, or split with two replicas of the request service and its worker, and queues in Redis. */
export async function startFixture(
  options: { readonly split?: boolean; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Fixture> {
  const { split = false, env = {} } = options;
  const instance = await startInstance({
    split,
    ...(split ? { replicas: { request: 2, 'worker-deletion': 2 } } : {}),
    env: { SWEEP_SECONDS: '1', ...env },
  });
  const { demo, dataDirectory } = instance;
  const { urls } = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8')) as {
    urls: StoreUrls;
  };
  const database = new pg.Client({ connectionString: urls.DATABASE_URL });
  await database.connect();
  const jobs = createJobs({
    enqueueMs: PATIENT_ENQUEUE_MS,
    log: createLogger({ name: 'test', level: 'silent' }),
    ...(urls.REDIS_URL === undefined
      ? { databaseUrl: urls.DATABASE_URL }
      : { redis: { urls: [urls.REDIS_URL] } }),
  });
  const reviewerId = demo.people[1]!.id;
  return {
    instance,
    demo,
    database,
    jobs,
    producer: producerOf(demo),
    publisher: new Client(demo.origin, { token: demo.publisher.token }),
    operator: operatorOf(demo),
    reviewer: await personOf(demo, dataDirectory, reviewerId),
    reviewerId,
    urls,
    async stop() {
      await jobs.close();
      await database.end();
      await instance.stop();
    },
  };
}

export async function newRequest(
  { producer }: Pick<Fixture, 'producer'>,
  input: Record<string, unknown>,
  key: string = randomUUID(),
): Promise<string> {
  const created = await producer.post('/v2/requests', input, { key });
  if (created.status !== 201) throw new Error(`created: ${created.status} ${created.text}`);
  return created.body.request.id as string;
}

/** An execution request with a claim, one admission and its outcome. */
export async function executedRequest(
  fixture: Fixture,
  options: {
    input?: Record<string, unknown>;
    /** Of the creation. */
    key?: string;
    /** Of the outcome. */
    details?: Record<string, unknown>;
  } = {},
): Promise<{ id: string; identity: string; occurrence: string }> {
  const { producer, reviewer } = fixture;
  const id = await newRequest(fixture, options.input ?? ownExecution(fixture), options.key);
  const path = `/v2/requests/${id}`;
  succeeded(await decide(reviewer, id, 'authorise'));
  const status = await untilAvailable(producer, id);
  const input = claimInput(status);
  const identity = input.execution_identity;
  const claim = succeeded(await producer.post(`${path}/claims`, input));
  const admission = {
    claim_id: claim.body.payload.id,
    nonce: randomUUID(),
    execution_identity: identity,
  };
  succeeded(await producer.post(`${path}/admission`, admission, { key: null }));
  const outcome = {
    execution_identity: identity,
    status: 'completed',
    details: options.details ?? {},
  };
  succeeded(await producer.post(`${path}/outcomes`, outcome));
  const occurrence = status.body.request.execution.action_occurrence_id as string;
  return { id, identity, occurrence };
}

function succeeded(answer: Answer): Answer {
  if (answer.status === 200 || answer.status === 201) return answer;
  throw new Error(`${answer.status} ${answer.text}`);
}

/** As an execution request with a binding of its own. */
export function ownExecution(fixture: Fixture, changes: Record<string, unknown> = {}) {
  return executionInput(fixture.demo, { execution: executionBinding(changes) });
}

// Time -------------------------------------------------------------------------------------------------

const STATE_TIME = {
  review: 'review_deadline',
  private_deletion: 'private_delete_at',
  audit_deletion: 'audit_delete_at',
} as const;

/** Brings these times of requests into the past: the deadline, and the state's own. */
export async function pass(
  { database }: Pick<Fixture, 'database'>,
  kind: keyof typeof STATE_TIME,
  ...ids: string[]
): Promise<void> {
  await database.query(
    `WITH l AS (
       UPDATE lifecycle SET ${STATE_TIME[kind]} = clock_timestamp() - interval '1 second' WHERE request_id = ANY ($1)
     ) UPDATE deadline SET due = clock_timestamp() - interval '1 second', rests_until = NULL
       WHERE request_id = ANY ($1) AND kind = $2`,
    [ids, kind],
  );
}

export interface DeadlineRow {
  readonly kind: string;
  readonly due: Date;
  readonly done: boolean;
  readonly attempts: number;
}

export async function deadlinesOf({ database }: Fixture, id: string): Promise<DeadlineRow[]> {
  const { rows } = await database.query<DeadlineRow>(
    `SELECT kind, due, done_at IS NOT NULL AS done, attempts FROM deadline WHERE request_id = $1 ORDER BY kind`,
    [id],
  );
  return rows;
}

export async function untilDone(fixture: Fixture, id: string, kind: string): Promise<void> {
  await until(
    () => deadlinesOf(fixture, id),
    (rows) => rows.find((row) => row.kind === kind)?.done === true,
  );
}

/** Until nothing of these requests waits for its place in the chain. */
export async function untilChained(fixture: Fixture, ...ids: string[]): Promise<void> {
  await until(
    () => count(fixture, 'outbox WHERE request_id = ANY ($1)', [ids]),
    (waiting) => waiting === 0,
  );
}

/** Until the request is gone. */
export async function untilGone(
  { operator }: Pick<Fixture, 'operator'>,
  id: string,
): Promise<void> {
  await until(
    () => operator.get(`/v2/requests/${id}`),
    (answer) => answer.status === 404,
  );
}

// Kept data ---------------------------------------------------------------------------------------------

/** Everything that the producer's feed has, in pages as a poller gets them. */
export async function feedOf({ producer }: Fixture): Promise<SignedRecord[]> {
  const events: SignedRecord[] = [];
  for (let after = 0; ;) {
    const page = (await producer.get(`/v2/events?after=${after}`)).body as {
      items: SignedRecord[];
      next: number;
    };
    if (page.items.length === 0) return events;
    events.push(...page.items);
    after = page.next;
  }
}

/** Of all that the request's steps have left: events are numbered when they are chained, soon after the step. */
export async function eventsOf(fixture: Fixture, id: string): Promise<RequestChangedEvent[]> {
  await untilChained(fixture, id);
  const events = (await feedOf(fixture)).map(
    ({ payload }) => payload as unknown as RequestChangedEvent,
  );
  return events.filter((event) => event.request_id === id);
}

export async function reasonsOf(fixture: Fixture, id: string): Promise<string[]> {
  return (await eventsOf(fixture, id)).map(({ reason }) => reason);
}

/** The whole chain, verified from its start under the trust manifest that lies on disk. */
export async function verifiedLedger({ operator, demo }: Fixture): Promise<LedgerEntry[]> {
  const trust = loadTrust(JSON.parse(readFileSync(demo.trust, 'utf8')), demo.origin);
  const entries: LedgerEntry[] = [];
  for (let from: ChainPoint | undefined; ;) {
    const page = (await operator.get(`/v2/admin/ledger?after=${from?.sequence ?? 0}`))
      .body as LedgerEntry[];
    if (page.length === 0) return entries;
    const verified = verifyLedgerRange(page, trust, {
      tenant: demo.tenant,
      ...(from === undefined ? {} : { from }),
    });
    if (!verified.ok) throw new Error(`ledger entry ${verified.sequence}: ${verified.reason}`);
    entries.push(...page);
    from = verified.end;
  }
}

/** The types of a request's chained records, in their order; null for a text that is gone. */
export async function chainedTypes(fixture: Fixture, id: string): Promise<(string | null)[]> {
  await untilChained(fixture, id);
  const entries = await verifiedLedger(fixture);
  return entries
    .filter((entry) => entry.request_id === id)
    .map(({ record }) =>
      record === null ? null : (JSON.parse(record) as SignedRecord).protected.type,
    );
}

export async function count(
  { database }: Fixture,
  from: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const { rows } = await database.query<{ count: string }>(`SELECT count(*) FROM ${from}`, [
    ...values,
  ]);
  return Number(rows[0]!.count);
}

/** How many rows each table has that names a request; tables without any are left out. */
export async function rowsOf({ database }: Fixture, id: string): Promise<Record<string, number>> {
  const { rows: tables } = await database.query<{ table: string; column: string }>(
    `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
       AND (c.column_name = 'request_id' OR (c.table_name = 'request' AND c.column_name = 'id'))`,
  );
  const found: Record<string, number> = {};
  for (const { table, column } of tables) {
    const { rows } = await database.query<{ count: string }>(
      `SELECT count(*) FROM "${table}" WHERE "${column}" = $1`,
      [id],
    );
    if (Number(rows[0]!.count) > 0) found[table] = Number(rows[0]!.count);
  }
  return found;
}

export async function incidentsOf({ database }: Fixture, id: string | null): Promise<string[]> {
  const { rows } = await database.query<{ code: string }>(
    'SELECT code FROM incident WHERE request_id IS NOT DISTINCT FROM $1 ORDER BY created_at',
    [id],
  );
  return rows.map(({ code }) => code);
}

/** Until the row's rest ends it is not tried; this ends it. */
export async function wakeDeadlines({ database }: Fixture, id: string): Promise<void> {
  await database.query('UPDATE deadline SET rests_until = NULL WHERE request_id = $1', [id]);
}
