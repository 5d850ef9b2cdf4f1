import { Worker } from 'node:worker_threads';
import type { ResourceLimits } from 'node:worker_threads';
import { Refusal } from '@countersign/protocol';
import type { JobAnswer } from './job.js';

export interface ThreadLimits {
  readonly threads: number;
  /** A thread that had nothing to do for so long ends: most processes never see a large body. */
  readonly idleMs: number;
  readonly resourceLimits: ResourceLimits;
}

interface Job {
  readonly question: unknown;
  readonly bytes: Uint8Array;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | null;
  idle: NodeJS.Timeout | null;
}

/** Threads that read bodies, begun when there is the first one to read and bounded in memory. */
export class BodyThreads {
  readonly #threads = new Set<Thread>();
  readonly #queue: Job[] = [];
  #stopped = false;

  /** `worker`: a file that calls `answerJobs`. */
  constructor(
    private readonly worker: URL,
    private readonly limits: ThreadLimits,
  ) {}

  /** The bytes are given away. Rejects with the job's refusal. */
  run(question: unknown, bytes: Uint8Array): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ question, bytes, resolve, reject });
      this.#next();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const threads = [...this.#threads];
    for (const { reject } of this.#queue.splice(0)) reject(stopped());
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    while (this.#queue.length > 0) {
      if (this.#stopped) {
        for (const { reject } of this.#queue.splice(0)) reject(stopped());
        return;
      }
      const free = [...this.#threads].find(({ job }) => job === null);
      if (free === undefined && this.#threads.size >= this.limits.threads) return;
      this.#give(free ?? this.#begin(), this.#queue.shift() as Job);
    }
  }

  #give(thread: Thread, job: Job): void {
    if (thread.idle !== null) clearTimeout(thread.idle);
    thread.job = job;
    const { question, bytes } = job;
    // A shared buffer is copied.
    const given = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
    thread.worker.postMessage({ question, bytes: given }, [given.buffer as ArrayBuffer]);
  }

  #end(thread: Thread): void {
    this.#threads.delete(thread);
    void thread.worker.terminate();
  }

  #begin(): Thread {
    const { resourceLimits } = this.limits;
    const worker = new Worker(this.worker, { resourceLimits, env: {} });
    worker.unref();
    const thread: Thread = { worker, job: null, idle: null };
    this.#threads.add(thread);
    worker.on('message', (answer: JobAnswer) => {
      const { job } = thread;
      if (job === null) return;
      thread.job = null;
      thread.idle = setTimeout(() => this.#end(thread), this.limits.idleMs).unref();
      settle(job, answer);
      this.#next();
    });
    let failure: Error = stopped();
    worker.on('error', (error: NodeJS.ErrnoException) => {
      failure = error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch() : error;
    });
    worker.on('exit', () => {
      this.#threads.delete(thread);
      thread.job?.reject(failure);
      this.#next();
    });
    return thread;
  }
}

function settle({ resolve, reject }: Job, answer: JobAnswer): void {
  if ('result' in answer) resolve(answer.result);
  else if ('refusal' in answer) reject(new Refusal(answer.refusal.code, answer.refusal));
  else reject(new Error(`a body could not be read: ${answer.failed}`));
}

function tooMuch(): Refusal {
  return new Refusal('body_too_large', { detail: 'It needs more memory than there is for one.' });
}

function stopped(): Error {
  return new Error('a thread that reads bodies has ended');
}
