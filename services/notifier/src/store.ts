import type pg from 'pg';
import {
  INTEGRITY_COLUMNS,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  saveTransition,
  transitValues,
  transitionSql,
} from '@countersign/database';
import type { CallerIdentity, RequestRow, Transit } from '@countersign/database';
import type { Lifecycle } from '@countersign/protocol';

// A reminder carries no material, so the notifier may not read any: of INT it recomputes the request's own digest.
const [REQUEST_INTEGRITY = ''] = INTEGRITY_COLUMNS.split(',\n');
const LOAD = {
  name: 'notifier.load',
  text: `SELECT ${REQUEST_COLUMNS}, ${REQUEST_INTEGRITY} ${REQUEST_JOINS} WHERE t.tenant = $1`,
};

const REMIND = {
  name: 'notifier.remind',
  text: transitionSql({ columns: ['reminded_at', 'revision'] }),
};

export class NotifierStore {
  constructor(private readonly pool: pg.Pool) {}

  async load(
    caller: CallerIdentity,
    id: string,
    operation: string,
    key: string | null,
  ): Promise<RequestRow | undefined> {
    const { rows } = await this.pool.query<RequestRow>({
      ...LOAD,
      values: [caller.tenant, id, caller.id, operation, key],
    });
    return rows[0];
  }

  async remind(transit: Transit, next: Lifecycle): Promise<void> {
    await saveTransition(this.pool, REMIND, [
      ...transitValues(transit),
      next.remindedAt === null ? null : new Date(next.remindedAt),
      next.revision,
    ]);
  }
}
