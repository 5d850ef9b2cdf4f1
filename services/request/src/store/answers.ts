import { ask, statement } from '@countersign/database';
import type { CallerIdentity, Pool } from '@countersign/database';

export const ANSWERED = statement(
  'request.answered',
  `SELECT 1 FROM idempotency
  WHERE tenant = $1 AND principal = :caller AND operation = :operation AND key = :key`,
);

export class AnswerStore {
  constructor(private readonly pool: Pool) {}

  /** Whether a call under the key has been answered, with whichever body (protocol R5). */
  async exists(caller: CallerIdentity, operation: string, key: string | null): Promise<boolean> {
    if (key === null) return false;
    const values = { tenant: caller.tenant, caller: caller.id, operation, key };
    const { rows } = await ask(this.pool, ANSWERED, values);
    return rows.length > 0;
  }
}
