import { onFreshState } from '@countersign/database';
import type { Directory } from '@countersign/database';
import { serveOperations } from '@countersign/platform';
import type { Module, Notary, ServiceRuntime } from '@countersign/platform';
import { admit } from './operations/admit.js';
import { claim } from './operations/claim.js';
import { reconcile, reportOutcome } from './operations/outcome.js';
import type { ExecutionStore } from './store.js';

export interface ExecutionDeps {
  readonly store: ExecutionStore;
  readonly directory: Directory;
  readonly notary: Notary;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

/**
 * `execution-authority.claim`, `execution-authority.admit`, `execution-authority.report-outcome`,
 * `execution-authority.reconcile`: authority is claimed once, admitted within bounds, closed and reconciled.
 */
export function executionModule(runtime: ServiceRuntime, deps: ExecutionDeps): Module {
  return {
    name: 'execution-authority',
    start: async () => {
      await serveOperations(
        runtime.bus,
        runtime.verifier,
        'execution-authority',
        onFreshState({
          'execution-authority.claim': claim(deps),
          'execution-authority.admit': admit(deps),
          'execution-authority.report-outcome': reportOutcome(deps),
          'execution-authority.reconcile': reconcile(deps),
        }),
      );
    },
    stop: async () => {},
  };
}
