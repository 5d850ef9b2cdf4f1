import type { Transition } from '@countersign/protocol';
import type { DueDeadline } from './deadlines.js';
import { withFreshState } from './fresh-state.js';
import { storedRequest } from './request-row.js';
import type { RequestRow, StoredRequest } from './request-row.js';

/** A step that a worker makes at a deadline of a request. */
export interface DeadlineStep {
  readonly load: (item: DueDeadline) => Promise<RequestRow | undefined>;
  /** Its due time, epoch milliseconds: computed from the request's current state, or the item's own time. */
  readonly dueAt?: (stored: StoredRequest) => number;
  /** Null when nothing is left to do. */
  readonly decide: (stored: StoredRequest, item: DueDeadline) => Transition | null;
  /** Throws `StaleRead` when another call moved the request meanwhile. */
  readonly save: (
    stored: StoredRequest,
    transition: Transition,
    item: DueDeadline,
  ) => Promise<unknown>;
  /** Marks an item as done that nothing is left to do for. Not given: it leaves the source by itself. */
  readonly finish?: (item: DueDeadline) => Promise<void>;
}

/**
 * The effect of a deadline: loads the request, decides with its state and saves, again while other calls are faster. `later`:
 * its time has not come by the database's clock, or the item leaves its source by itself.
 */
export function onDeadline({ load, dueAt, decide, save, finish }: DeadlineStep) {
  const done = async (item: DueDeadline, lateMs: number) => {
    if (finish === undefined) return 'later' as const;
    await finish(item);
    return { lateMs };
  };
  return (item: DueDeadline): Promise<{ lateMs: number } | 'later'> =>
    withFreshState(async () => {
      const row = await load(item);
      const stored = row === undefined ? null : storedRequest(row);
      if (stored === null) return done(item, 0);
      const lateMs = stored.row.now - (dueAt?.(stored) ?? item.due);
      if (lateMs < 0) return 'later';
      const transition = decide(stored, item);
      if (transition === null) return done(item, lateMs);
      await save(stored, transition, item);
      return { lateMs };
    });
}
