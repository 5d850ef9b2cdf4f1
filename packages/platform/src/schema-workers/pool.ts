import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Refusal } from '@countersign/protocol';
import type { ErrorCode, SchemaJob, SchemaJobResult } from '@countersign/protocol';

/** Contract §10. */
export const SCHEMA_WORKER_LIMITS = {
  workers: 2,
  queued: 8,
  totalMs: 1500,
  jobBytes: 524_544,
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
} as const;

interface Pending {
  readonly tenant: string;
  readonly job: SchemaJob;
  readonly resolve: (result: SchemaJobResult) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface Seat {
  worker: Worker;
  /** A worker that is still loading gets nothing: it would use up its first job's time. */
  ready: boolean;
  busy: Pending | null;
}

/**
 * Checks response schemas and responses in memory-bounded worker threads, never on the caller's thread. A job has 1.5 s
 * in total: one that is still queued then is `schema_validation_busy`, one that runs is stopped together with its worker.
 * One tenant never has the last worker, nor the last quarter of the queue: its slow schemas delay nobody else.
 */
export class SchemaWorkers {
  readonly #seats: Seat[] = [];
  #queue: Pending[] = [];
  #stopped = false;

  constructor(private readonly limits: typeof SCHEMA_WORKER_LIMITS = SCHEMA_WORKER_LIMITS) {}

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
    for (const waiting of this.#queue.splice(0)) refuse(waiting, 'schema_validation_unavailable');
    await Promise.all(this.#seats.map((seat) => seat.worker.terminate()));
  }

  /** Resolves when the schema (and the response, unless null) is good; rejects with a `Refusal` of contract §10. */
  async check(tenant: string, job: SchemaJob): Promise<void> {
    const bytes = Buffer.byteLength(job.schemaText) + Buffer.byteLength(job.responseText ?? '');
    if (bytes > this.limits.jobBytes) throw new Refusal('schema_validation_too_large');
    if (this.#stopped || this.#seats.length === 0)
      throw new Refusal('schema_validation_unavailable');
    const result = await this.#run(tenant, job);
    if (!result.ok) throw new Refusal(result.code);
  }

  #run(tenant: string, job: SchemaJob): Promise<SchemaJobResult> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#late(pending), this.limits.totalMs);
      const pending: Pending = { tenant, job, resolve, reject, timer };
      const queuedOfTenant = this.#queue.filter((other) => other.tenant === tenant).length;
      const full =
        this.#queue.length >= this.limits.queued ||
        queuedOfTenant >= Math.ceil((this.limits.queued * 3) / 4);
      const free = this.#mayRun(tenant)
        ? this.#seats.find((seat) => seat.ready && seat.busy === null)
        : undefined;
      if (free !== undefined) give(free, pending);
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
    refuse(pending, 'schema_validation_timeout');
    if (seat !== undefined) this.#replace(seat);
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
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (seat.worker !== worker) return;
      if (seat.busy !== null) {
        const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        refuse(seat.busy, outOfMemory ? 'schema_resource_limit' : 'schema_validation_unavailable');
      }
      this.#replace(seat);
    });
  }

  /** A worker that ran too long or broke takes what it did with it. */
  #replace(seat: Seat): void {
    void seat.worker.terminate();
    if (this.#stopped) return;
    Object.assign(seat, { busy: null, ready: false, worker: this.#spawn() });
    this.#listen(seat);
  }

  #next(): void {
    for (const seat of this.#seats) {
      if (seat.busy !== null || !seat.ready) continue;
      const place = this.#queue.findIndex((waiting) => this.#mayRun(waiting.tenant));
      const [waiting] = place < 0 ? [] : this.#queue.splice(place, 1);
      if (waiting !== undefined) give(seat, waiting);
    }
  }
}

function give(seat: Seat, pending: Pending): void {
  seat.busy = pending;
  seat.worker.postMessage(pending.job);
}

function refuse(pending: Pending, code: ErrorCode): void {
  clearTimeout(pending.timer);
  pending.reject(new Refusal(code));
}
