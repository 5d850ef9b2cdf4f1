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

/** Notes that a run of a tenant ended now, well or not. */
export type NoteRun = (tenant: string, well: boolean) => Promise<void>;

const NOTE_MS = 1000;

/**
 * Notes runs of that name, at most one success and one failure a second of each tenant; the metrics show when
 * (`ledger.metrics`). A note that cannot be written is passed to `lost`.
 */
export function runNotes(
  pool: Pool,
  name: RunName,
  lost: (error: unknown, tenant: string) => void,
): NoteRun {
  const last = new Map<string, number>();
  return async (tenant, well) => {
    const key = `${well} ${tenant}`;
    const now = performance.now();
    if (now - (last.get(key) ?? -Infinity) < NOTE_MS) return;
    last.set(key, now);
    await ask(pool, NOTE_RUN, { tenant, name, well }).catch((error: unknown) =>
      lost(error, tenant),
    );
  };
}
