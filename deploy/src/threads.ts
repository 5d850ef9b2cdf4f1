import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { createInProcessBus } from '@countersign/platform';
import { commonConfig } from './configuration.js';
import type { Target } from './modules.js';
import { buildPart, inStages } from './part.js';
import type { BuiltPart } from './part.js';
import type { Surroundings } from './linked.js';
import { startThread } from './started-thread.js';

/**
 * Which targets share a thread when one process runs all of them: callers at the edge, the transitions, and the chain that
 * follows them, each on a core of its own. The first is the process's own thread.
 */
export const THREADS = {
  edge: ['development-provider', 'gateway'],
  services: [
    'schema',
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
  chain: ['ledger', 'worker-anchor', 'worker-security-log'],
} as const satisfies Record<string, readonly Target[]>;

export type ThreadName = keyof typeof THREADS;

const NAMES = Object.keys(THREADS) as ThreadName[];

/** All targets in one process, put together and not started. */
export async function threaded(surroundings: Surroundings): Promise<BuiltPart> {
  const { env, log } = surroundings;
  // What is missing is told before any thread is made.
  const { NATS_URL } = commonConfig(env);
  const ports = channels();
  const bus = NATS_URL === undefined ? createInProcessBus({ log }) : undefined;
  for (const port of ports.edge) bus?.link(port);
  const others = NAMES.filter((name) => name !== 'edge').map((name) =>
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
  const none = NAMES.map((name): [ThreadName, MessagePort[]] => [name, []]);
  const ports = Object.fromEntries(none) as Record<ThreadName, MessagePort[]>;
  for (const [place, one] of NAMES.entries()) {
    for (const other of NAMES.slice(place + 1)) {
      const { port1, port2 } = new MessageChannel();
      ports[one].push(port1);
      ports[other].push(port2);
    }
  }
  return ports;
}
