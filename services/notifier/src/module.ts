import { onFreshState } from '@countersign/database';
import type { Directory } from '@countersign/database';
import { serveOperations } from '@countersign/platform';
import type { Module, ServiceRuntime } from '@countersign/platform';
import { remind } from './operations/remind.js';
import type { ReminderDeps } from './reminder.js';

export interface NotifierDeps extends ReminderDeps {
  readonly directory: Directory;
  /** What a reminder can do here: mail it, or only tell who polls. */
  readonly notification: 'queued' | 'polling-only';
}

/** `notifier.remind`. */
export function notifierModule(runtime: ServiceRuntime, deps: NotifierDeps): Module {
  return {
    name: 'notifier',
    start: async () => {
      await serveOperations(
        runtime.bus,
        runtime.verifier,
        'notifier',
        onFreshState({
          'notifier.remind': remind(deps),
        }),
      );
    },
    stop: async () => {},
  };
}
