import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metric, Registry } from 'prom-client';

/** The metrics by which a worker is watched and scaled; the label `worker` is its target's name. */
export interface WorkerMetrics {
  done(lateMs: number): void;
  failed(): void;
  /** According to the database: the number of overdue items, and since when the first of them waits. */
  overdue(count: number, oldestMs: number): void;
}

/** Seconds: from at once, over the sweep's rhythm, to an hour. */
const LATENESS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 300, 900, 3600];

export function createWorkerMetrics(registry: Registry, worker: string): WorkerMetrics {
  const common = { labelNames: ['worker'], registers: [registry] };
  const made = <M extends Metric>(name: string, make: (name: string) => M): M =>
    (registry.getSingleMetric(name) as M | undefined) ?? make(name);
  const done = made(
    'countersign_worker_done_total',
    (name) => new Counter({ ...common, name, help: 'Items that the worker has finished.' }),
  );
  const failed = made(
    'countersign_worker_failed_total',
    (name) => new Counter({ ...common, name, help: 'Attempts that failed; each is retried.' }),
  );
  const lateness = made(
    'countersign_worker_lateness_seconds',
    (name) =>
      new Histogram({
        ...common,
        name,
        help: 'The time between an item’s deadline and its end.',
        buckets: LATENESS,
      }),
  );
  const overdue = made(
    'countersign_worker_overdue_items',
    (name) => new Gauge({ ...common, name, help: 'Items that are due and not done.' }),
  );
  const oldest = made(
    'countersign_worker_overdue_oldest_seconds',
    (name) => new Gauge({ ...common, name, help: 'The waiting time of the oldest overdue item.' }),
  );
  done.inc({ worker }, 0);
  failed.inc({ worker }, 0);
  return {
    done(lateMs) {
      done.inc({ worker });
      lateness.observe({ worker }, Math.max(0, lateMs) / 1000);
    },
    failed: () => failed.inc({ worker }),
    overdue(count, oldestMs) {
      overdue.set({ worker }, count);
      oldest.set({ worker }, Math.max(0, oldestMs) / 1000);
    },
  };
}
