import { CLOCK, ask, statement } from '@countersign/database';
import type { Pool } from '@countersign/database';

/** Keys of people of all tenants. Those that waited for too long are gone, also where their rows are still there. */
export const KEYS_BY_STATE = statement(
  'request.keys-by-state',
  `SELECT state, count(*)::float8 AS keys FROM credential_bound
  WHERE state <> 'waiting' OR enrolled_at > ${CLOCK} - interval '24 hours' GROUP BY state`,
  { about: 'all' },
);

export async function keysByState(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await ask<{ state: string; keys: number }>(pool, KEYS_BY_STATE, {});
  return new Map(rows.map(({ state, keys }) => [state, keys]));
}
