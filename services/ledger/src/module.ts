import type { Directory } from '@countersign/database';
import { HINTS, serveOperations } from '@countersign/platform';
import type { Logger, Module, Notary, ServiceRuntime } from '@countersign/platform';
import type { AnchorStore } from './anchor/anchor-store.js';
import { drainer } from './drain.js';
import { entries } from './operations/entries.js';
import { events } from './operations/events.js';
import { exportRequest } from './operations/export.js';
import { metrics } from './operations/metrics.js';
import type { LedgerStore } from './store.js';
import type { MetricsStore } from './store/metrics.js';
import { anchorWorker } from './workers/anchor.js';

export interface LedgerDeps {
  readonly store: LedgerStore;
  readonly metrics: MetricsStore;
  readonly directory: Directory;
  readonly notary: Notary;
  readonly log: Logger;
  /** Milliseconds of a clock that never jumps, for pauses and intervals only. */
  readonly monotonicMs: () => number;
  /** Hints, never awaited: a tenant has committed records; a tenant has a new checkpoint. */
  readonly chained: (tenant: string) => void;
  readonly checkpointed: (tenant: string) => void;
  /** Counts chained entries for the metrics. */
  readonly onChained?: (tenant: string, entries: number) => void;
}

/** #21, #22, #27, #28 and the chain: drains the outbox and signs checkpoints. */
export function ledgerModule(runtime: ServiceRuntime, deps: LedgerDeps): Module {
  const drain = drainer(deps);
  return {
    name: 'ledger',
    start: async () => {
      await serveOperations(runtime.bus, runtime.verifier, 'ledger', {
        'ledger.export': exportRequest(deps),
        'ledger.events': events(deps),
        'ledger.entries': entries(deps),
        'ledger.metrics': metrics(deps),
      });
      await runtime.bus.subscribe(HINTS.outbox, 'ledger', (tenant) => drain.wake(tenant));
      drain.start();
    },
    stop: () => drain.stop(),
  };
}

/** The target `worker-anchor`. */
export function anchorWorkerModule(
  runtime: ServiceRuntime,
  deps: LedgerDeps & { anchors: AnchorStore },
): Module {
  const worker = anchorWorker(deps);
  return {
    name: 'worker-anchor',
    start: async () => {
      await runtime.bus.subscribe(HINTS.checkpoint, 'worker-anchor', (tenant) =>
        worker.wake(tenant),
      );
      worker.start();
    },
    stop: () => worker.stop(),
  };
}
