import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { Logger, Readiness } from '@countersign/platform';
import type { Part } from './part.js';
import { PlainError } from './plain-error.js';
import type { ThreadName } from './threads.js';

/** What a thread is given when it is made. */
export interface ThreadData {
  readonly thread: ThreadName;
  /** Of the bus, to each of the other threads. */
  readonly ports: readonly MessagePort[];
}

export type ThreadAsks = 'start' | 'stop' | 'readiness' | 'alive' | 'families';

export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  /** Why it could not be done. */
  readonly failed?: string;
}

interface Asked {
  readonly done: (result: unknown) => void;
  readonly fail: (why: Error) => void;
}

/** After what its modules may take to say whether they are ready, and to stop (platform/module.ts). */
const ANSWER_WITHIN_MS = 3000;
const STOP_WITHIN_MS = 20_000;

/**
 * A further thread of this process (thread.ts), which does what it is asked to. When it ends unasked so does the process:
 * whoever started that starts it again.
 */
export function startThread(thread: ThreadName, ports: readonly MessagePort[], log: Logger): Part {
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    name: thread,
    workerData: { thread, ports } satisfies ThreadData,
    transferList: [...ports],
  });
  const waiting = new Map<number, Asked>();
  let asks = 0;
  let stopping: Promise<void> | null = null;

  worker.on('message', ({ id, result, failed }: ThreadAnswer) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (failed === undefined) asked?.done(result);
    else asked?.fail(new PlainError(failed));
  });
  worker.on('error', (error) => log.fatal({ err: error, thread }, 'a thread failed'));
  worker.once('exit', () => {
    for (const { fail } of waiting.values()) fail(new PlainError(`the thread ${thread} ended`));
    waiting.clear();
    if (stopping !== null) return;
    log.fatal({ thread }, 'a thread has ended, and the process with it');
    process.exit(1);
  });

  function ask(what: ThreadAsks): Promise<unknown> {
    asks += 1;
    const id = asks;
    return new Promise((done, fail) => {
      waiting.set(id, { done, fail });
      worker.postMessage({ id, what });
    });
  }

  /** `otherwise` when the thread does not say it in time: nobody waits for one that hangs. */
  function askInTime<T>(what: ThreadAsks, otherwise: T, ms = ANSWER_WITHIN_MS): Promise<T> {
    const inTime = new AbortController();
    const late = delay(ms, otherwise, { signal: inTime.signal });
    const answer = ask(what).catch(() => otherwise) as Promise<T>;
    return Promise.race([answer, late]).finally(() => inTime.abort());
  }

  async function stop(): Promise<void> {
    await askInTime('stop', undefined, STOP_WITHIN_MS);
    await worker.terminate();
  }

  return {
    async start() {
      await ask('start');
    },
    stop: () => (stopping ??= stop()),
    readiness: () =>
      askInTime<Readiness>('readiness', {
        ready: false,
        modules: { [`thread ${thread}`]: 'unready' },
      }),
    alive: () => askInTime('alive', false),
    families: () => askInTime<readonly string[]>('families', []),
  };
}
