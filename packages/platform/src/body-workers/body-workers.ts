import { availableParallelism } from 'node:os';
import { Places } from './places.js';
import type { BodyOwner, PlaceLimits } from './places.js';
import { BodyThreads } from './threads.js';
import type { ThreadLimits } from './threads.js';

const MiB = 1024 * 1024;
/** The most that one body has (protocol §9.3). */
const LARGEST = 22 * MiB;

/** In a process of its own a service needs about 400 MB with all places taken and two threads at work. */
export const BODY_LIMITS: PlaceLimits & ThreadLimits = {
  bytes: 3 * LARGEST,
  tenantBytes: 2 * LARGEST,
  // A waiting body is not read yet and takes no memory; a principal has 32 calls at the same time (R34).
  waiting: 256,
  waitingOfOwner: 32,
  waitMs: 8000,
  // One processor is left to the thread that serves callers.
  threads: Math.max(1, Math.min(2, availableParallelism() - 1)),
  idleMs: 30_000,
  resourceLimits: { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 32 },
};

/** Room for one body, from before it is read until its call is answered. */
export interface BodyPlace {
  /** Has a job done on the body, whose bytes are given away; rejects with the job's refusal. */
  run<Result>(question: unknown, bytes: Uint8Array): Promise<Result>;
  leave(): void;
}

/**
 * Reads large bodies away from the thread that serves callers, within a bounded memory (protocol R35). `worker` is the file
 * that does the jobs (`answerJobs`).
 */
export class BodyWorkers {
  readonly #places: Places;
  readonly #threads: BodyThreads;

  constructor(worker: URL, limits = BODY_LIMITS) {
    this.#places = new Places(limits);
    this.#threads = new BodyThreads(worker, limits);
  }

  /**
   * A place for a body of so many bytes. Rejects with `service_unavailable` when there is none in time, and with the
   * signal's reason when that aborts.
   */
  async place(owner: BodyOwner, bytes: number, signal?: AbortSignal): Promise<BodyPlace> {
    const leave = await this.#places.take(owner, bytes, signal);
    const run = <Result>(question: unknown, given: Uint8Array): Promise<Result> =>
      this.#threads.run(question, given) as Promise<Result>;
    return { run, leave };
  }

  stop(): Promise<void> {
    return this.#threads.stop();
  }
}
