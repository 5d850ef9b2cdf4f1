import {
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  commit,
  loadRequest,
  stepStatement,
  workerValues,
} from '@countersign/database';
import type { DueDeadline, Pool, RequestRow, Step } from '@countersign/database';
import type { DeadlineKind, Lifecycle } from '@countersign/protocol';

const LOAD = {
  name: 'request.load-due',
  text: `SELECT ${REQUEST_COLUMNS} ${REQUEST_JOINS} WHERE t.tenant = $1`,
};

const EXPIRE = stepStatement('request.expire', {
  moves: ['decision', 'grant_state', 'invalidated', 'revision'],
  records: 'any',
  settles: true,
});

export class ExpiryStore {
  constructor(private readonly pool: Pool) {}

  async load(item: DueDeadline): Promise<RequestRow | undefined> {
    return loadRequest(this.pool, LOAD, workerValues(item));
  }

  /** The expired state with its events; the deadline is done with it. */
  async expire(step: Step, next: Lifecycle, item: DueDeadline): Promise<void> {
    await commit(this.pool, EXPIRE, { ...step, settled: [item.kind as DeadlineKind] }, next);
  }
}
