import { requireCaller } from '@countersign/database';
import { PAGE_SIZES, asJsonText } from '@countersign/protocol';
import type { EventPage } from '@countersign/protocol';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { LedgerDeps } from '../deps.js';

/** The caller's newest event number, so that a new reader can start at the end. */
const EVENT_HEAD = 'Event-Head';

/**
 * `ledger.events`: the caller's own signed status events after a cursor, ascending, gap-free as they are given (R15, R31).
 */
export function events(deps: LedgerDeps): OperationHandler<'ledger.events'> {
  return async ({ caller, query: { after } }) => {
    await requireCaller(deps.directory, caller, await deps.directory.revision(caller.tenant));
    const { events, newest } = await deps.store.events(
      caller.tenant,
      caller.id,
      after,
      PAGE_SIZES.events,
    );
    const items = events.flatMap((row) => (row.record === null ? [] : [row.record]));
    const next = events.at(-1)?.sequence ?? after;
    return answer(200, asJsonText<EventPage>(`{"items":[${items.join(',')}],"next":${next}}`), {
      [EVENT_HEAD]: String(newest),
    });
  };
}
