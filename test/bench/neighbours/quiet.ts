import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../load/connection.js';
import { figuresOf, newLatencies } from '../load/latencies.js';
import type { StepFigures } from '../load/latencies.js';
import { newWaiting, walk } from '../load/lifecycle.js';
import type { Target } from '../load/lifecycle.js';
import { requestBodies } from '../load/request-body.js';

// A process that is the tenant whose calls are measured: one client walks lifecycles, another reads a status again and
// again.

export interface QuietOrder {
  readonly target: Target;
  readonly seconds: number;
}

export interface QuietFigures {
  readonly reads: StepFigures | null;
  /** Calls of lifecycles. */
  readonly calls: StepFigures | null;
}

export type QuietReply = { figures: QuietFigures } | { error: string };

const PAUSE_MS = 10;

async function measure({ target, seconds }: QuietOrder): Promise<QuietFigures> {
  const newRequest = requestBodies(target.route);
  const latencies = newLatencies();
  const reads: number[] = [];
  const end = performance.now() + seconds * 1000;
  const over = (): boolean => performance.now() >= end;

  async function walkAll(): Promise<void> {
    const connection = connect(target.origin);
    const [reviewer = {}] = target.reviewers;
    const wait = newWaiting(PAUSE_MS);
    const { note } = latencies;
    while (!over()) {
      await walk({ connection, target, reviewer, newRequest, wait, note });
      await delay(PAUSE_MS);
    }
    connection.close();
  }

  async function readAll(): Promise<void> {
    const connection = connect(target.origin);
    while (!over()) {
      const began = performance.now();
      const { status, text } = await connection.send('GET', '/v2/requests', target.producer);
      if (status !== 200) throw new Error(`a list answered ${status} ${text.slice(0, 200)}`);
      reads.push(performance.now() - began);
      await delay(PAUSE_MS);
    }
    connection.close();
  }

  await Promise.all([walkAll(), readAll()]);
  return { reads: figuresOf(reads, 0), calls: latencies.calls() };
}

process.on('message', (order: QuietOrder) => {
  const reply = (message: QuietReply): void => void process.send?.(message);
  measure(order).then(
    (figures) => reply({ figures }),
    (error: unknown) => reply({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
