import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { createInProcessBus } from '@countersign/platform';
import type { Logger, Readiness } from '@countersign/platform';
import type { Target } from './modules.js';
import { buildPart, inStages } from './part.js';
import type { BuiltPart, Part } from './part.js';
import { PlainError } from './plain-error.js';
import type { Surroundings } from './shared.js';

/**
 * Which targets share a thread when one process runs all of them: callers at the edge, the transitions, and the chain that
 * follows them, each on a core of its own. The first is the process's own thread.
 */
export const THREADS = {
  edge: ['development-provider', 'gateway'],
  services: [
    'request',
    'review',
    'execution-authority',
    'notifier',
    'worker-expiry',
    'worker-deletion',
    'worker-reconciliation',
    'worker-delivery',
    'worker-reminder',
  ],
  chain: ['ledger', 'worker-anchor'],
} as const satisfies Record<string, readonly Target[]>;

export type ThreadName = keyof typeof THREADS;

/** What a thread is given when it is made. */
export interface ThreadData {
  readonly thread: ThreadName;
  /** Of the bus, to each of the other threads. */
  readonly ports: readonly MessagePort[];
}

export type ThreadAsks = 'start' | 'stop' | 'readiness' | 'families';

export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  /** Why it could not be done. */
  readonly failed?: string;
}

/** All targets in one process, put together and not started. */
export async function threaded(surroundings: Surroundings): Promise<BuiltPart> {
  const { config, log } = surroundings;
  const ports = channels();
  const bus = config.NATS_URL === undefined ? createInProcessBus({ log }) : undefined;
  for (const port of ports.edge) bus?.link(port);
  const others = (['services', 'chain'] as const).map((name) =>
    startThread(name, ports[name], log),
  );
  try {
    const { part, registry } = await buildPart({ ...surroundings, bus }, THREADS.edge);
    return { part: inStages([others, [part]]), registry };
  } catch (error) {
    await Promise.all(others.map((other) => other.stop()));
    throw error;
  }
}

/** Every thread's ends of the channels to all others. */
function channels(): Readonly<Record<ThreadName, MessagePort[]>> {
  const ports: Record<ThreadName, MessagePort[]> = { edge: [], services: [], chain: [] };
  const names = Object.keys(ports) as ThreadName[];
  for (const [place, one] of names.entries()) {
    for (const other of names.slice(place + 1)) {
      const { port1, port2 } = new MessageChannel();
      ports[one].push(port1);
      ports[other].push(port2);
    }
  }
  return ports;
}

/** A further thread of this process. When it ends unasked so does the process: whoever started it starts it again. */
function startThread(thread: ThreadName, ports: readonly MessagePort[], log: Logger): Part {
  const worker = new Worker(new URL('./thread.js', import.meta.url), {
    name: thread,
    workerData: { thread, ports } satisfies ThreadData,
    transferList: [...ports],
  });
  const waiting = new Map<
    number,
    { done: (result: unknown) => void; fail: (why: Error) => void }
  >();
  let asks = 0;
  let stopping = false;

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
    if (stopping) return;
    log.fatal({ thread }, 'a thread has ended, and the process with it');
    process.exit(1);
  });

  function ask<T>(what: ThreadAsks): Promise<T> {
    asks += 1;
    const id = asks;
    return new Promise<unknown>((done, fail) => {
      waiting.set(id, { done, fail });
      worker.postMessage({ id, what });
    }) as Promise<T>;
  }

  return {
    start: () => ask('start'),
    async stop() {
      if (stopping) return;
      stopping = true;
      const ended = once(worker, 'exit');
      await ask('stop').catch(() => {});
      await worker.terminate();
      await ended;
    },
    readiness: () => ask<Readiness>('readiness'),
    families: () => ask<readonly string[]>('families'),
  };
}
