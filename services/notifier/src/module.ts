import { onFreshState } from '@countersign/database';
import { serveOperations } from '@countersign/platform';
import type { Module, OperationHandlers, ServiceRuntime } from '@countersign/platform';
import { notifierDeps } from './deps.js';
import type { NotifierOptions } from './deps.js';
import { remind } from './operations/remind.js';

/** `notifier.remind`. */
export function notifierModule(runtime: ServiceRuntime, options: NotifierOptions): Module {
  const operations: OperationHandlers<'notifier'> = {
    'notifier.remind': remind(notifierDeps(options)),
  };
  return {
    name: 'notifier',
    start: () => serveOperations(runtime, 'notifier', onFreshState(operations)),
    stop: async () => {},
  };
}
