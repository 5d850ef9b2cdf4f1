import { onFreshState } from '@countersign/database';
import { serveOperations } from '@countersign/platform';
import type { Module, OperationHandlers, ServiceRuntime } from '@countersign/platform';
import type { NotifierDeps } from './deps.js';
import { remind } from './operations/remind.js';

/** `notifier.remind`. */
export function notifierModule(runtime: ServiceRuntime, deps: NotifierDeps): Module {
  const operations: OperationHandlers<'notifier'> = { 'notifier.remind': remind(deps) };
  return {
    name: 'notifier',
    start: () => serveOperations(runtime, 'notifier', onFreshState(operations)),
    stop: async () => {},
  };
}
