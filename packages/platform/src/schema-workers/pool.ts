import { Worker } from 'node:worker_threads';
import { Refusal } from '@countersign/protocol';
import type { SchemaJob, SchemaJobResult } from '@countersign/protocol';

/** Contract §10. */
export const SCHEMA_WORKER_LIMITS = {
  workers: 2,
  queued: 8,
  totalMs: 1500,
  jobBytes: 524_544,
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
} as const;

interface Pending {
  readonly job: SchemaJob;
  readonly resolve: (result: SchemaJobResult) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface Seat {
  worker: Worker;
  busy: Pending | null;
}

/**
 * Checks response schemas and responses in memory-bounded worker threads, never on the caller's thread. A job has 1.5 s
 * in total: one that is still queued then is `schema_validation_busy`, one that runs is stopped together with its worker.
 */
export class SchemaWorkers {
  readonly #seats: Seat[] = [];
  readonly #queue: Pending[] = [];
  #stopped = false;

  constructor(private readonly limits: typeof SCHEMA_WORKER_LIMITS = SCHEMA_WORKER_LIMITS) {}

  start(): void {
    while (this.#seats.length < this.limits.workers) this.#seats.push(this.#seat());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const waiting of this.#queue.splice(0))
      this.#refuse(waiting, 'schema_validation_unavailable');
    await Promise.all(this.#seats.map((seat) => seat.worker.terminate()));
  }

  /** Resolves when the schema (and the response, unless null) is good; rejects with a `Refusal` of contract §10. */
  async check(job: SchemaJob): Promise<void> {
    const bytes = Buffer.byteLength(job.schemaText) + Buffer.byteLength(job.responseText ?? '');
    if (bytes > this.limits.jobBytes) throw new Refusal('schema_validation_too_large');
    if (this.#stopped || this.#seats.length === 0)
      throw new Refusal('schema_validation_unavailable');
    const result = await this.#run(job);
    if (!result.ok) throw new Refusal(result.code);
  }

  #run(job: SchemaJob): Promise<SchemaJobResult> {
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        job,
        resolve,
        reject,
        timer: setTimeout(() => this.#late(pending), this.limits.totalMs),
      };
      const free = this.#seats.find((seat) => seat.busy === null);
      if (free !== undefined) this.#give(free, pending);
      else if (this.#queue.length < this.limits.queued) this.#queue.push(pending);
      else this.#refuse(pending, 'schema_validation_busy');
    });
  }

  #give(seat: Seat, pending: Pending): void {
    seat.busy = pending;
    seat.worker.postMessage(pending.job);
  }

  #late(pending: Pending): void {
    const place = this.#queue.indexOf(pending);
    if (place >= 0) {
      this.#queue.splice(place, 1);
      this.#refuse(pending, 'schema_validation_busy');
      return;
    }
    const seat = this.#seats.find((candidate) => candidate.busy === pending);
    this.#refuse(pending, 'schema_validation_timeout');
    if (seat !== undefined) this.#replace(seat);
  }

  #refuse(pending: Pending, code: ConstructorParameters<typeof Refusal>[0]): void {
    clearTimeout(pending.timer);
    pending.reject(new Refusal(code));
  }

  #seat(): Seat {
    const seat: Seat = { worker: this.#spawn(), busy: null };
    this.#listen(seat);
    return seat;
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      resourceLimits: this.limits.resourceLimits,
      env: {},
      stdin: false,
    });
    worker.unref();
    return worker;
  }

  #listen(seat: Seat): void {
    const { worker } = seat;
    worker.on('message', (result: SchemaJobResult) => {
      const done = seat.busy;
      if (seat.worker !== worker || done === null) return;
      clearTimeout(done.timer);
      seat.busy = null;
      done.resolve(result);
      this.#next(seat);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (seat.worker !== worker) return;
      if (seat.busy !== null) {
        const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        this.#refuse(
          seat.busy,
          outOfMemory ? 'schema_resource_limit' : 'schema_validation_unavailable',
        );
      }
      this.#replace(seat);
    });
  }

  #replace(seat: Seat): void {
    void seat.worker.terminate();
    if (this.#stopped) return;
    seat.busy = null;
    seat.worker = this.#spawn();
    this.#listen(seat);
    this.#next(seat);
  }

  #next(seat: Seat): void {
    const waiting = this.#queue.shift();
    if (waiting !== undefined) this.#give(seat, waiting);
  }
}
