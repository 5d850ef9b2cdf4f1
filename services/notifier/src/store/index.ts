import {
  REQUEST_COLUMNS,
  REQUEST_INTEGRITY,
  REQUEST_JOINS,
  loadRequest,
  loadValues,
  statement,
  stepStatement,
} from '@countersign/database';
import type { CallerIdentity, Pool, RequestRow } from '@countersign/database';

// A reminder carries no material, so the notifier may not read any: of INT it recomputes the request's own digest.
export const LOAD_REMINDED = statement(
  'notifier.load',
  `SELECT ${REQUEST_COLUMNS}, ${REQUEST_INTEGRITY} ${REQUEST_JOINS} WHERE t.tenant = $1`,
);

export const REMIND = stepStatement('notifier.remind', {
  moves: ['reminded_at', 'revision'],
  records: 'any',
  answer: true,
});

export class NotifierStore {
  constructor(private readonly pool: Pool) {}

  async load(
    caller: CallerIdentity,
    id: string,
    operation: string,
    key: string | null,
  ): Promise<RequestRow | undefined> {
    return loadRequest(this.pool, LOAD_REMINDED, loadValues(caller, id, operation, key));
  }
}
