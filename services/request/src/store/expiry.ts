import {
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  loadRequest,
  statement,
  stepStatement,
  workerValues,
} from '@countersign/database';
import type { DueDeadline, Pool, RequestRow } from '@countersign/database';

export const LOAD_EXPIRED = statement(
  'request.load-due',
  `SELECT ${REQUEST_COLUMNS} ${REQUEST_JOINS} WHERE t.tenant = $1`,
);

/** The expired state with its events; the deadline is done with it. */
export const EXPIRE = stepStatement('request.expire', {
  moves: ['decision', 'grant_state', 'invalidated', 'revision'],
  records: 'any',
  settles: true,
});

export class ExpiryStore {
  constructor(private readonly pool: Pool) {}

  async load(item: DueDeadline): Promise<RequestRow | undefined> {
    return loadRequest(this.pool, LOAD_EXPIRED, workerValues(item));
  }
}
