import { Refusal } from '@countersign/protocol';
import { onDeadline } from '@countersign/database';
import { deadlineWorker } from '@countersign/platform';
import type { Module, WorkerRuntime } from '@countersign/platform';
import type { ReminderDeps } from '../deps.js';
import { decideReminder, saveReminder } from '../reminder.js';
import { ReminderSource } from '../store/reminders.js';

/**
 * The target `worker-reminder`: reminds of pending reviews a while before their deadline, as `notifier.remind` would and
 * within the same one a day. A reminder that the state refuses by now is skipped: the review is decided, or was reminded of
 * already.
 */
export function reminderWorker(
  runtime: WorkerRuntime,
  deps: ReminderDeps,
  seconds: number,
): Module {
  const source = new ReminderSource(deps.pool, seconds);
  const effect = onDeadline({
    load: (item) => source.load(item),
    dueAt: ({ lifecycle }) => source.dueOf(lifecycle),
    decide: (stored, { tenant }) => {
      try {
        return decideReminder(deps, tenant, stored);
      } catch (error) {
        if (isTooLate(error)) return null;
        throw error;
      }
    },
    save: (stored, transition) => saveReminder(deps, stored, transition),
  });
  return deadlineWorker({ ...runtime, source, effect });
}

function isTooLate(error: unknown): boolean {
  return (
    error instanceof Refusal &&
    (error.code === 'request_not_pending' || error.code === 'reminder_limit')
  );
}
