import { ask } from './pool.js';
import type { Pool } from './pool.js';
import { statement } from './statement.js';

/** Background work that records its result (protocol §3.7). */
export type RunName = 'outbox' | 'retention';

export const NOTE_RUN = statement(
  'database.note-run',
  `INSERT INTO operation_run AS o (tenant, name, succeeded_at, failed_at)
  SELECT $1, :name, CASE WHEN :well THEN n.at END, CASE WHEN NOT :well THEN n.at END FROM (SELECT clock_timestamp() AS at) n
  ON CONFLICT (tenant, name) DO UPDATE SET succeeded_at = coalesce(EXCLUDED.succeeded_at, o.succeeded_at),
    failed_at = coalesce(EXCLUDED.failed_at, o.failed_at)`,
);

/** Notes that a run ended now, well or not. */
export async function noteRun(
  pool: Pool,
  tenant: string,
  name: RunName,
  well: boolean,
): Promise<void> {
  await ask(pool, NOTE_RUN, { tenant, name, well });
}
