import { parentPort, workerData } from 'node:worker_threads';
import { createInProcessBus, createLogger } from '@countersign/platform';
import { busConfig, processConfig } from './configuration.js';
import { buildPart } from './part.js';
import type { Part } from './part.js';
import type { ThreadAnswer, ThreadAsks, ThreadData } from './started-thread.js';
import { THREADS } from './threads.js';
import { startTracingOf } from './tracing.js';

// A further thread of the one process that runs all targets (threads.ts): does what the process's own thread asks it to.
const { thread, ports } = workerData as ThreadData;
const { env } = process;
const log = createLogger({ name: 'all', level: processConfig(env).LOG_LEVEL });
const stopping = new AbortController();
let tracing: Awaited<ReturnType<typeof startTracingOf>> = null;
const part = build();

async function build(): Promise<Part> {
  tracing = await startTracingOf(env, 'all', log);
  const bus = busConfig(env).NATS_URL === undefined ? createInProcessBus({ log }) : undefined;
  for (const port of ports) bus?.link(port);
  const surroundings = { env, log, thread, bus, stopping: stopping.signal };
  return (await buildPart(surroundings, THREADS[thread])).part;
}

const ANSWERS: Record<ThreadAsks, () => Promise<unknown>> = {
  start: async () => (await part).start(),
  async stop() {
    stopping.abort();
    await (await part).stop();
    await tracing?.stop();
  },
  readiness: async () => (await part).readiness(),
  alive: async () => true,
  families: async () => (await part).families(),
};

parentPort?.on('message', ({ id, what }: { id: number; what: ThreadAsks }) => {
  const answer = (rest: Omit<ThreadAnswer, 'id'>): void => parentPort?.postMessage({ id, ...rest });
  ANSWERS[what]().then(
    (result) => answer({ result }),
    (error: unknown) => answer({ failed: (error as Error).message }),
  );
});
// Whoever asks is told what failed.
part.catch(() => {});
