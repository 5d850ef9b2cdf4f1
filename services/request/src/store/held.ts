import { CLOCK, acrossTenants, askOne, statements } from '@countersign/database';
import type { Pool } from '@countersign/database';

/** What legal holds in force keep, of all tenants. */
export interface Held {
  readonly holds: number;
  readonly requests: number;
  /** Of their private material. */
  readonly bytes: number;
  /** When the first of these holds ends, in Unix seconds; null without any. */
  readonly firstEnd: number | null;
}

export const HELD = statements('request', {
  held: acrossTenants(`WITH held AS MATERIALIZED (
      SELECT h.tenant, h.request_id, h.hold_id, h.until FROM hold_item h WHERE h.lifted_at IS NULL AND h.until > ${CLOCK}
    ), r AS (SELECT DISTINCT h.tenant, h.request_id FROM held h)
    SELECT (SELECT count(DISTINCT (h.tenant, h.hold_id)) FROM held h)::float8 AS holds,
      (SELECT count(*) FROM r)::float8 AS requests,
      (SELECT coalesce(sum(m.bytes), 0) FROM r CROSS JOIN LATERAL (
        SELECT x.bytes FROM material x WHERE x.tenant = r.tenant AND x.request_id = r.request_id LIMIT 1) m)::float8 AS bytes,
      (SELECT extract(epoch FROM min(h.until)) FROM held h)::float8 AS "firstEnd"`),
});

export async function readHeld(pool: Pool): Promise<Held> {
  return (await askOne<Held>(pool, HELD.held, {})) as Held;
}
