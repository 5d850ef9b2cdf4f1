import { setTimeout as delay } from 'node:timers/promises';
import { connect } from './connection.js';
import { newLatencies } from './latencies.js';
import type { StepFigures, Steps } from './latencies.js';
import { newWaiting, walk } from './lifecycle.js';
import type { Target } from './lifecycle.js';
import { requestBodies } from './request-body.js';

/** One measurement, as the bench asks for it. */
export interface LoadOrder {
  readonly target: Target;
  readonly clients: number;
  readonly seconds: number;
  /** Between two status reads. */
  readonly pauseMs: number;
}

export interface LoadFigures {
  readonly lifecycles: number;
  readonly seconds: number;
  readonly steps: Steps;
  /** Of all calls together. */
  readonly calls: StepFigures | null;
  /** Status reads for one lifecycle. */
  readonly reads: number;
  /** Answers of 503, each followed by another try. */
  readonly busy: number;
  /** CPU time of the generator, milliseconds. */
  readonly cpuMs: number;
}

export type LoadReply = { figures: LoadFigures } | { began: true } | { error: string };

/** Clients are under way by then: the window that counts has no start in it, and ends in mid-flight. */
const RAMP_MS = 500;

/** Closed loop: each client walks one request after the other, as fast as it is answered. */
async function load(order: LoadOrder, began: () => void): Promise<LoadFigures> {
  const { target, clients, seconds, pauseMs } = order;
  const newRequest = requestBodies(target.route);
  const wait = newWaiting(pauseMs);
  const latencies = newLatencies();
  let counts = false;
  let ended = false;
  let lifecycles = 0;

  async function client(number: number): Promise<void> {
    // Spread over the ramp: clients do not all come at once.
    await delay((RAMP_MS / 2) * (number / clients));
    const connection = connect(target.origin);
    const reviewer = target.reviewers[number % target.reviewers.length] ?? {};
    const note: typeof latencies.note = (step, ms, bytes) => {
      if (counts) latencies.note(step, ms, bytes);
    };
    try {
      while (!ended) {
        await walk({ connection, target, reviewer, newRequest, wait, note });
        if (counts) lifecycles += 1;
      }
    } finally {
      connection.close();
    }
  }

  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  const failed = all.then(() => {});
  await Promise.race([delay(RAMP_MS), failed]);
  wait.reads = 0;
  wait.busy = 0;
  counts = true;
  began();
  const start = performance.now();
  const cpu = process.cpuUsage();
  try {
    await Promise.race([delay(seconds * 1000), failed]);
  } finally {
    counts = false;
    ended = true;
  }
  const took = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const figures = {
    lifecycles,
    seconds: took,
    steps: latencies.figures(),
    calls: latencies.calls(),
    reads: wait.reads / Math.max(1, lifecycles),
    busy: wait.busy,
    cpuMs: (user + system) / 1000,
  };
  await all;
  return figures;
}

function reply(message: LoadReply): void {
  process.send?.(message);
}

process.on('message', (order: LoadOrder) => {
  load(order, () => reply({ began: true })).then(
    (figures) => reply({ figures }),
    (error: unknown) => reply({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());
