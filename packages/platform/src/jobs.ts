import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker, createPostgresBackend, runMigrations } from 'bullmq';
import type { BackendFactory, QueueOptions, WorkerOptions } from 'bullmq';
import pg from 'pg';
import { bounded } from './bounded.js';
import type { Logger } from './log.js';
import { connectRedis } from './redis.js';
import type { RedisClient } from './redis.js';
import type { RedisServers } from './redis-servers.js';
import { inSpan, openSpan } from './spans.js';
import { continueTrace, currentTrace, traceparentOf } from './telemetry.js';

/** Ids and times only: nothing private enters a queue. */
export type JobData = Readonly<Record<string, string | number | boolean | null>>;

/** A job is a hint that may come late, twice or never: its handler reads the work from the database. */
export type JobHandler = (data: JobData) => Promise<void>;

export interface Jobs {
  /**
   * Adds a job unless one of that id is waiting or running; an id that names the item and its time makes adding it again
   * harmless. Rejects within some seconds when the store is away.
   */
  enqueue(
    queue: string,
    jobId: string,
    data: JobData,
    options?: { delayMs?: number },
  ): Promise<void>;
  /** As `enqueue`, many in one round trip. */
  enqueueAll(queue: string, jobs: readonly NewJob[]): Promise<void>;
  /** Starts to work; resumes by itself when the store comes back. A job that fails is tried three times, then dropped. */
  work(queue: string, handler: JobHandler, options?: WorkOptions): Promise<void>;
  /**
   * Rejects when the queues are in PostgreSQL and its login may not use them. Redis may be away: sweeps do its work, later
   * (docs/operations.md).
   */
  ready(): Promise<void>;
  /** Waits for running jobs, for a bounded time. */
  close(): Promise<void>;
}

export interface NewJob {
  readonly jobId: string;
  readonly data: JobData;
  readonly delayMs: number;
  /** Of the trace that the job belongs to; the current one when not given. */
  readonly traceparent?: string | undefined;
}

export interface WorkOptions {
  /** Jobs at once; 10 when not given. */
  readonly concurrency?: number;
  /** Most jobs a second in this process; 0 or absent: as many as it can. */
  readonly perSecond?: number;
}

export interface JobsOptions {
  log: Logger;
  /** Queues in Redis; without it they are in PostgreSQL, schema `bullmq` (see {@link migrateJobs}). */
  redis?: RedisServers | undefined;
  /** Required without `redis`; may carry `options=-c role=…`. A function is called for each new connection. */
  databaseUrl?: string | (() => string) | undefined;
  /** How long a worker may hold a job without a sign of life before another one gets it; 30 s when not given. */
  lockMs?: number | undefined;
  /** How long adding jobs waits for the store's answer; 3 s when not given. */
  enqueueMs?: number | undefined;
  /** The longest that `close` takes; 10 s when not given. */
  closeMs?: number | undefined;
}

const MESSAGING = { 'messaging.system': 'bullmq' } as const;
const RETRY_MS = 1000;
const SCHEMA = 'bullmq';

/** The connection to one store: BullMQ's options beside a queue's name. */
interface Store {
  readonly forQueues: QueueOptions;
  readonly forWorkers: WorkerOptions;
  readonly factory: BackendFactory | undefined;
  readonly needsRenewal: boolean;
  ready(): Promise<void>;
  close(): Promise<void>;
}

interface QueuedData {
  data: JobData;
  traceparent?: string;
}

export function createJobs(options: JobsOptions): Jobs {
  const { log, closeMs = 10_000, enqueueMs = 3000, lockMs = 30_000 } = options;
  const store = storeOf(options);
  const queues = new Map<string, Queue<QueuedData>>();
  const workers = new Set<Worker<QueuedData>>();
  const ended = new AbortController();

  function queueOf(name: string): Queue<QueuedData> {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = new Queue<QueuedData>(name, store.forQueues, store.factory as never);
    queue.on('error', (error) => log.debug({ err: error, queue: name }, 'queue has no store'));
    queues.set(name, queue);
    return queue;
  }

  /** A queue whose first look at PostgreSQL failed stays broken in BullMQ: the next call makes another. */
  function renew(name: string, queue: Queue<QueuedData>): void {
    if (!store.needsRenewal || queues.get(name) !== queue) return;
    queues.delete(name);
    end(queue).catch(() => {});
  }

  async function process(name: string, handler: JobHandler, envelope: QueuedData): Promise<void> {
    const failed = await continueTrace(envelope.traceparent, async () => {
      try {
        await inSpan(`${name} process`, { kind: 'consumer', attributes: MESSAGING }, () =>
          handler(envelope.data),
        );
        return false;
      } catch (error) {
        log.error({ err: error, queue: name }, 'job failed');
        return true;
      }
    });
    // BullMQ stores message and stack of errors that it catches.
    if (failed) throw new Error('failed; see the log');
  }

  /** Workers have been seen to end when their store came back: one that ends before us is replaced. */
  async function keepWorking(
    name: string,
    handler: JobHandler,
    { concurrency = 10, perSecond = 0 }: WorkOptions,
  ): Promise<void> {
    // Tried every second: the log tells once what is wrong.
    let told: string | null = null;
    const limiter = perSecond > 0 ? { limiter: { max: perSecond, duration: 1000 } } : {};
    while (!ended.signal.aborted) {
      const worker = new Worker<QueuedData>(
        name,
        (job) => process(name, handler, job.data),
        {
          ...store.forWorkers,
          concurrency,
          lockDuration: lockMs,
          stalledInterval: lockMs,
          ...limiter,
        },
        store.factory as never,
      );
      worker.on('error', (error) => log.warn({ err: error, queue: name }, 'worker has trouble'));
      workers.add(worker);
      try {
        await worker.waitUntilReady();
        if (told !== null) log.info({ queue: name }, 'worker works again');
        told = null;
        await worker.run();
      } catch (error) {
        const reason = (error as Error).message;
        log[reason === told ? 'debug' : 'warn']({ err: error, queue: name }, 'worker ended');
        told = reason;
      }
      if (ended.signal.aborted) return;
      workers.delete(worker);
      await bounded(worker.close(true), RETRY_MS);
      await delay(RETRY_MS, undefined, { signal: ended.signal }).catch(() => {});
    }
  }

  async function enqueueAll(name: string, jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const queue = queueOf(name);
    const trace = currentTrace();
    const current = trace === undefined ? undefined : traceparentOf(trace);
    const spans = jobs.map(({ traceparent: parent }) =>
      openSpan(`${name} publish`, { kind: 'producer', attributes: MESSAGING, parent }),
    );
    const added = queue.addBulk(
      jobs.map(({ jobId, data, delayMs, traceparent = current }, place) => ({
        name,
        data: withTrace(data, spans[place]?.traceparent ?? traceparent),
        // BullMQ keeps the colon for itself.
        opts: { jobId: jobId.replaceAll(':', '.'), delay: Math.max(0, delayMs) },
      })),
    );
    try {
      if (!(await bounded(added, enqueueMs))) throw new Error(`queue ${name} does not answer`);
      for (const span of spans) span.end();
    } catch (error) {
      for (const span of spans) {
        span.fail(error);
        span.end();
      }
      renew(name, queue);
      throw error;
    }
  }

  return {
    enqueueAll,
    enqueue: (name, jobId, data, { delayMs = 0 } = {}) =>
      enqueueAll(name, [{ jobId, data, delayMs }]),

    async work(name, handler, options = {}) {
      void keepWorking(name, handler, options);
    },

    ready: () => store.ready(),

    async close() {
      ended.abort();
      const paused = Promise.all([...workers].map((worker) => worker.pause()));
      const inTime = await bounded(paused, closeMs).catch(() => false);
      if (!inTime) log.error({ closeMs }, 'jobs under way did not end in time');
      const closed = [
        ...[...workers].map((worker) => worker.close(true)),
        ...[...queues.values()].map(end),
      ];
      await bounded(Promise.allSettled(closed), RETRY_MS);
      await bounded(store.close(), RETRY_MS);
    },
  };
}

/**
 * Brings the queues' tables in PostgreSQL to the newest version and gives them to the role that all queues work under.
 * Part of a migration: `connectionString` is that of the owner.
 */
export async function migrateJobs(connectionString: string, queuesRole: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await runMigrations(client as never, SCHEMA);
    const role = client.escapeIdentifier(queuesRole);
    // CREATE: each queue has a sequence, made by its first user.
    await client.query(`GRANT USAGE, CREATE ON SCHEMA ${SCHEMA} TO ${role}`);
    // Many jobs at once go through a temporary table.
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
    const database = client.escapeIdentifier(rows[0]?.name ?? '');
    await client.query(`GRANT TEMPORARY ON DATABASE ${database} TO ${role}`);
    await client.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${role}`);
    await client.query(`GRANT ALL ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO ${role}`);
    await client.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${SCHEMA} TO ${role}`);
  } finally {
    await client.end();
  }
}

const kept = {
  defaultJobOptions: {
    attempts: 3,
    backoff: { type: 'exponential', delay: 1000 },
    // An id is free again when its job is gone, so that a sweep can put it back.
    removeOnComplete: true,
    removeOnFail: true,
  },
} as const;
const working = { autorun: false, runRetryDelay: RETRY_MS } as const;

function storeOf({ redis, databaseUrl, log }: JobsOptions): Store {
  if (redis !== undefined) return redisStore(redis);
  if (databaseUrl !== undefined) return postgresStore(databaseUrl, log);
  throw new TypeError('jobs need Redis or a database URL');
}

function redisStore(servers: RedisServers): Store {
  let closed = false;
  // Copies of it that BullMQ could not end in time would go on connecting.
  const retryStrategy = (times: number): number | null =>
    closed ? null : Math.min(times * 100, 2000);
  const connection = { retryStrategy, connectTimeout: 5000 };
  const clients: RedisClient[] = [];
  const client = (options: { maxRetriesPerRequest: number | null; enableOfflineQueue?: false }) => {
    const made = connectRedis(servers, { ...connection, ...options });
    // The queues and workers that use it report them.
    made.on('error', () => {});
    clients.push(made);
    return made;
  };
  // All keys in one slot, as a cluster needs it.
  const prefix = '{countersign}';
  return {
    forQueues: {
      ...kept,
      prefix,
      connection: client({ maxRetriesPerRequest: 1, enableOfflineQueue: false }),
    },
    forWorkers: { ...working, prefix, connection: client({ maxRetriesPerRequest: null }) },
    factory: undefined,
    // The Redis client connects for ever by itself.
    needsRenewal: false,
    ready: async () => {},
    close: async () => {
      closed = true;
      for (const one of clients) one.disconnect();
    },
  };
}

function postgresStore(databaseUrl: string | (() => string), log: Logger): Store {
  const url = typeof databaseUrl === 'string' ? () => databaseUrl : databaseUrl;
  // One pool for all queues. Every worker holds one of its connections to listen on.
  const pool = new pg.Pool({
    Client: class extends pg.Client {
      constructor(config?: string | pg.ClientConfig) {
        super({ ...(config as pg.ClientConfig), ...withSearchPath(url()) });
      }
    },
    max: 20,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  pool.on('error', (error) => log.warn({ err: error }, 'queues lost a database connection'));
  const connection = pool as never;
  return {
    forQueues: { ...kept, connection },
    forWorkers: { ...working, connection },
    factory: createPostgresBackend as never,
    needsRenewal: true,
    ready: async () => void (await pool.query('SELECT 1 FROM job LIMIT 0')),
    close: () => pool.end(),
  };
}

/** BullMQ's statements name no schema. */
function withSearchPath(databaseUrl: string): { connectionString: string; options?: string } {
  const url = new URL(databaseUrl);
  const options = `${url.searchParams.get('options') ?? ''} -c search_path=${SCHEMA}`.trim();
  url.searchParams.set('options', options);
  return { connectionString: url.href };
}

function withTrace(data: JobData, traceparent: string | undefined): QueuedData {
  return traceparent === undefined ? { data } : { data, traceparent };
}

/** A polite end of a queue would wait for a store that is away. */
function end(queue: Queue<QueuedData>): Promise<void> {
  return queue.getBackend().close(true);
}
