import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ResourceLimits } from 'node:worker_threads';
import { Refusal } from '@countersign/protocol';
import type { ErrorCode, SchemaJob, SchemaJobResult } from '@countersign/protocol';

export interface SchemaWorkerLimits {
  readonly workers: number;
  readonly queued: number;
  readonly totalMs: number;
  readonly jobBytes: number;
  readonly resourceLimits: ResourceLimits;
}

/** Contract §10. */
export const SCHEMA_WORKER_LIMITS: SchemaWorkerLimits = {
  workers: 2,
  queued: 8,
  totalMs: 1500,
  jobBytes: 524_544,
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
};

/** Good jobs that are remembered; a key is 32 bytes. */
const MOST_REMEMBERED = 10_000;

/** A worker that broke before it was loaded is not tried again at once: that would be a loop. */
const PAUSE_MS = 1000;

interface Pending {
  readonly tenant: string;
  readonly job: SchemaJob;
  readonly resolve: (result: SchemaJobResult) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  /** When it was given to a worker, and the processor time that this process had used by then. */
  given: { readonly at: number; readonly used: number } | null;
}

interface Seat {
  worker: Worker;
  /** A worker that is still loading gets nothing: it would use up its first job's time. */
  ready: boolean;
  busy: Pending | null;
}

/** Milliseconds on a clock that never goes back, and of processor time used by all threads of this process. */
export interface SchemaWorkerMeters {
  readonly now: () => number;
  readonly used: () => number;
}

const METERS: SchemaWorkerMeters = {
  now: () => performance.now(),
  used: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * Checks response schemas and responses in memory-bounded worker threads, never on the caller's thread. A job has 1.5 s
 * in total: one that is still queued then is `schema_validation_busy`, one that runs is stopped together with its worker.
 * One tenant never has the last worker, nor the last quarter of the queue: its slow schemas delay nobody else.
 * What was good is good again: the same schema comes with every request of a producer, and needs a worker once.
 */
export class SchemaWorkers {
  readonly #seats: Seat[] = [];
  #queue: Pending[] = [];
  #stopped = false;
  readonly #good = new Set<string>();
  readonly #asked = new Map<string, Promise<SchemaJobResult>>();

  constructor(
    private readonly limits: SchemaWorkerLimits = SCHEMA_WORKER_LIMITS,
    private readonly meters: SchemaWorkerMeters = METERS,
  ) {}

  /** Resolves when the workers are loaded. */
  async start(): Promise<void> {
    const loading: Promise<unknown>[] = [];
    while (this.#seats.length < this.limits.workers) {
      const seat: Seat = { worker: this.#spawn(), ready: false, busy: null };
      this.#listen(seat);
      this.#seats.push(seat);
      loading.push(once(seat.worker, 'message'));
    }
    await Promise.all(loading);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const running = this.#seats.flatMap(({ busy }) => busy ?? []);
    for (const pending of [...this.#queue.splice(0), ...running]) {
      refuse(pending, 'schema_validation_unavailable');
    }
    await Promise.all(this.#seats.map((seat) => seat.worker.terminate()));
  }

  /** Resolves when the schema (and the response, unless null) is good; rejects with a `Refusal` of contract §10. */
  async check(tenant: string, job: SchemaJob): Promise<void> {
    const bytes = Buffer.byteLength(job.schemaText) + Buffer.byteLength(job.responseText ?? '');
    if (bytes > this.limits.jobBytes) throw new Refusal('schema_validation_too_large');
    if (this.#stopped || this.#seats.length === 0)
      throw new Refusal('schema_validation_unavailable');
    const key = jobKey(tenant, job);
    if (this.#good.has(key)) return;
    const result = await this.#once(key, tenant, job);
    if (!result.ok) throw new Refusal(result.code);
    // The first key is the one that was put in longest ago.
    if (this.#good.size >= MOST_REMEMBERED) this.#good.delete(this.#good.keys().next().value ?? '');
    this.#good.add(key);
  }

  /** Many requests with one new schema at once are one question. */
  #once(key: string, tenant: string, job: SchemaJob): Promise<SchemaJobResult> {
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const answer = this.#run(tenant, job).finally(() => this.#asked.delete(key));
    this.#asked.set(key, answer);
    return answer;
  }

  #run(tenant: string, job: SchemaJob): Promise<SchemaJobResult> {
    return new Promise((resolve, reject) => {
      // Timers come before messages: what the worker has answered while this thread stood still is read first.
      const timer = setTimeout(() => setImmediate(() => this.#late(pending)), this.limits.totalMs);
      const pending: Pending = { tenant, job, resolve, reject, timer, given: null };
      const queuedOfTenant = this.#queue.filter((other) => other.tenant === tenant).length;
      const full =
        this.#queue.length >= this.limits.queued ||
        queuedOfTenant >= Math.ceil((this.limits.queued * 3) / 4);
      const free = this.#mayRun(tenant)
        ? this.#seats.find((seat) => seat.ready && seat.busy === null)
        : undefined;
      if (free !== undefined) this.#give(free, pending);
      else if (full) refuse(pending, 'schema_validation_busy');
      else this.#queue.push(pending);
    });
  }

  #mayRun(tenant: string): boolean {
    const running = this.#seats.filter((seat) => seat.busy?.tenant === tenant).length;
    return running < Math.max(1, this.limits.workers - 1);
  }

  #late(pending: Pending): void {
    if (this.#queue.includes(pending)) {
      this.#queue = this.#queue.filter((other) => other !== pending);
      refuse(pending, 'schema_validation_busy');
      return;
    }
    const seat = this.#seats.find((candidate) => candidate.busy === pending);
    if (seat === undefined) return;
    refuse(
      pending,
      this.#wasStarved(pending) ? 'schema_validation_busy' : 'schema_validation_timeout',
    );
    this.#replace(seat);
  }

  /**
   * Whether the job cannot have run for half of the time that it was given: all threads together did not. Then it was
   * waiting for the machine, and nothing is known of its schema.
   */
  #wasStarved({ given }: Pending): boolean {
    if (given === null) return true;
    const { now, used } = this.meters;
    return used() - given.used < (now() - given.at) / 2;
  }

  #give(seat: Seat, pending: Pending): void {
    pending.given = { at: this.meters.now(), used: this.meters.used() };
    seat.busy = pending;
    seat.worker.postMessage(pending.job);
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      resourceLimits: this.limits.resourceLimits,
      env: {},
    });
    worker.unref();
    return worker;
  }

  #listen(seat: Seat): void {
    const { worker } = seat;
    worker.on('message', (result: 'ready' | SchemaJobResult) => {
      if (seat.worker !== worker) return;
      if (result === 'ready') {
        seat.ready = true;
        this.#next();
        return;
      }
      const done = seat.busy;
      if (done === null) return;
      clearTimeout(done.timer);
      seat.busy = null;
      done.resolve(result);
      this.#next();
    });
    const broke = (error?: NodeJS.ErrnoException) => {
      if (seat.worker !== worker) return;
      if (seat.busy !== null) {
        const outOfMemory = error?.code === 'ERR_WORKER_OUT_OF_MEMORY';
        refuse(seat.busy, outOfMemory ? 'schema_resource_limit' : 'schema_validation_unavailable');
      }
      this.#replace(seat);
    };
    worker.on('error', broke);
    worker.on('exit', () => broke());
  }

  /** A worker that ran too long or broke takes what it did with it. */
  #replace(seat: Seat): void {
    const broken = seat.worker;
    void broken.terminate();
    if (this.#stopped) return;
    const again = () => {
      if (this.#stopped || seat.worker !== broken) return;
      seat.worker = this.#spawn();
      this.#listen(seat);
    };
    const wasReady = seat.ready;
    Object.assign(seat, { busy: null, ready: false });
    if (wasReady) again();
    else setTimeout(again, PAUSE_MS).unref();
  }

  #next(): void {
    for (const seat of this.#seats) {
      if (seat.busy !== null || !seat.ready) continue;
      const place = this.#queue.findIndex((waiting) => this.#mayRun(waiting.tenant));
      const [waiting] = place < 0 ? [] : this.#queue.splice(place, 1);
      if (waiting !== undefined) this.#give(seat, waiting);
    }
  }
}

/** One key per tenant and job: a tenant learns nothing of another's schemas from how long its own take. */
function jobKey(tenant: string, { schemaText, responseText }: SchemaJob): string {
  const hash = createHash('sha256');
  for (const part of [tenant, schemaText, responseText ?? '']) {
    hash.update(`${part.length}:`).update(part);
  }
  return hash.update(responseText === null ? '-' : '+').digest('base64');
}

function refuse(pending: Pending, code: ErrorCode): void {
  clearTimeout(pending.timer);
  pending.reject(new Refusal(code));
}
