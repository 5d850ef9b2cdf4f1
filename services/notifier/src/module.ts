import type { Directory } from '@countersign/database';
import { serveOperations } from '@countersign/platform';
import type { Module, Notary, ServiceRuntime } from '@countersign/platform';
import { remind } from './operations/remind.js';
import type { NotifierStore } from './store.js';

export interface NotifierDeps {
  readonly store: NotifierStore;
  readonly directory: Directory;
  readonly notary: Notary;
  /** What a reminder can do here: mail it, or only tell who polls. */
  readonly notification: 'queued' | 'polling-only';
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

/** #14. */
export function notifierModule(runtime: ServiceRuntime, deps: NotifierDeps): Module {
  return {
    name: 'notifier',
    start: async () => {
      await serveOperations(runtime.bus, runtime.verifier, 'notifier', {
        'notifier.remind': remind(deps),
      });
    },
    stop: async () => {},
  };
}
