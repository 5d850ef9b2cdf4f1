import { onFreshState, withFreshState } from '@countersign/database';
import { BodyWorkers, serveOperations, withInput } from '@countersign/platform';
import type { Module, OperationHandlers, ServiceRuntime } from '@countersign/platform';
import { executionDeps } from './deps.js';
import type { ExecutionOptions } from './deps.js';
import type { OutcomeOperation, OutcomeStep } from './outcome.js';
import { readOutcomeInput } from './outcome-input.js';
import type { OutcomeInput } from './outcome-input.js';
import { admit } from './operations/admit.js';
import { claim } from './operations/claim.js';
import { reconcile } from './operations/reconcile.js';
import { reportOutcome } from './operations/report-outcome.js';

/**
 * `execution-authority.claim`, `execution-authority.admit`, `execution-authority.report-outcome`,
 * `execution-authority.reconcile`: authority is claimed once, admitted within bounds, closed and reconciled.
 */
export function executionModule(runtime: ServiceRuntime, options: ExecutionOptions): Module {
  const deps = executionDeps(options);
  const bodies = new BodyWorkers(new URL('./body-worker.js', import.meta.url));
  const reader = { bodies, question: null, read: readOutcomeInput };
  // An outcome is read once, however often its step is tried.
  const reading = <Name extends OutcomeOperation>(step: OutcomeStep<Name>) =>
    withInput<Name, OutcomeInput>(reader, (call) => withFreshState(() => step(call)));
  const operations: OperationHandlers<'execution-authority'> = {
    ...onFreshState({
      'execution-authority.claim': claim(deps),
      'execution-authority.admit': admit(deps),
    }),
    'execution-authority.report-outcome': reading(reportOutcome(deps)),
    'execution-authority.reconcile': reading(reconcile(deps)),
  };
  return {
    name: 'execution-authority',
    start: () => serveOperations(runtime, 'execution-authority', operations),
    stop: () => bodies.stop(),
  };
}
