import {
  ANY_STEP,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  doneDeadlines,
  loadRequest,
  saveTransition,
  transition,
  workerValues,
} from '@countersign/database';
import type { DueDeadline, Pool, RequestRow, Transit } from '@countersign/database';
import type { Lifecycle } from '@countersign/protocol';

const LOAD = {
  name: 'request.load-due',
  text: `SELECT ${REQUEST_COLUMNS} ${REQUEST_JOINS} WHERE t.tenant = $1`,
};

const COLUMNS = ['decision', 'grant_state', 'invalidated', 'revision'];

const EXPIRE = transition('request.expire', {
  columns: COLUMNS,
  with: [doneDeadlines(`ARRAY[${ANY_STEP.own(COLUMNS.length)}]`)],
});

export class ExpiryStore {
  constructor(private readonly pool: Pool) {}

  async load(item: DueDeadline): Promise<RequestRow | undefined> {
    return loadRequest(this.pool, LOAD, workerValues(item));
  }

  /** The expired state with its events; the deadline is done with it. */
  async expire(transit: Transit, next: Lifecycle, item: DueDeadline): Promise<void> {
    await saveTransition(this.pool, EXPIRE, transit, [
      next.decision,
      next.grant,
      next.invalidated,
      next.revision,
      item.kind,
    ]);
  }
}
