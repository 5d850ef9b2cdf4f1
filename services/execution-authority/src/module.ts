import { onFreshState } from '@countersign/database';
import { serveOperations } from '@countersign/platform';
import type { Module, OperationHandlers, ServiceRuntime } from '@countersign/platform';
import type { ExecutionDeps } from './deps.js';
import { admit } from './operations/admit.js';
import { claim } from './operations/claim.js';
import { reconcile } from './operations/reconcile.js';
import { reportOutcome } from './operations/report-outcome.js';

/**
 * `execution-authority.claim`, `execution-authority.admit`, `execution-authority.report-outcome`,
 * `execution-authority.reconcile`: authority is claimed once, admitted within bounds, closed and reconciled.
 */
export function executionModule(runtime: ServiceRuntime, deps: ExecutionDeps): Module {
  const operations: OperationHandlers<'execution-authority'> = {
    'execution-authority.claim': claim(deps),
    'execution-authority.admit': admit(deps),
    'execution-authority.report-outcome': reportOutcome(deps),
    'execution-authority.reconcile': reconcile(deps),
  };
  return {
    name: 'execution-authority',
    start: () => serveOperations(runtime, 'execution-authority', onFreshState(operations)),
    stop: async () => {},
  };
}
