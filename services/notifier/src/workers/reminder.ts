import { Refusal } from '@countersign/protocol';
import { storedRequest, withFreshState } from '@countersign/database';
import { deadlineWorker } from '@countersign/platform';
import type { Effect, Module, WorkerRuntime } from '@countersign/platform';
import { saveReminder } from '../reminder.js';
import type { ReminderDeps } from '../deps.js';
import type { ReminderSource } from '../store/reminders.js';

/**
 * The target `worker-reminder`: reminds of pending reviews a while before their deadline, as `notifier.remind` would and
 * within the same one a day. What the state refuses by now is not done: somebody has decided, or has reminded already.
 */
export function reminderWorker(
  runtime: WorkerRuntime,
  deps: ReminderDeps & { readonly source: ReminderSource },
): Module {
  const { source } = deps;
  const effect: Effect = (item) =>
    withFreshState(async () => {
      const row = await source.load(item);
      const stored = row === undefined ? null : storedRequest(row);
      if (stored === null) return 'later';
      const lateMs = stored.row.now - source.dueOf(stored.lifecycle);
      if (lateMs < 0) return 'later';
      try {
        await saveReminder(deps, item.tenant, stored, null);
      } catch (error) {
        if (isTooLate(error)) return 'later';
        throw error;
      }
      return { lateMs };
    });
  return deadlineWorker({ ...runtime, source, effect });
}

function isTooLate(error: unknown): boolean {
  return (
    error instanceof Refusal &&
    (error.code === 'request_not_pending' || error.code === 'reminder_limit')
  );
}
