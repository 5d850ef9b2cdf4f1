import { askOne, statement } from '@countersign/database';
import type { Pool } from '@countersign/database';

export interface Lag {
  /** Seconds that the oldest committed record waits to be chained; 0 when none does. */
  readonly unchainedSeconds: number;
  /** Seconds that the oldest signed checkpoint waits to be anchored and applied; 0 when none does. */
  readonly unanchoredSeconds: number;
  readonly tenants: number;
  /** How many tenants are fenced for each reason. */
  readonly fenced: Readonly<Record<string, number>>;
  /** How many incidents of each code were opened within the last hour. */
  readonly incidents: Readonly<Record<string, number>>;
}

const age = (time: string) =>
  `coalesce(greatest(extract(epoch FROM n.at - ${time}), 0), 0)::float8`;

// One index look-up a tenant for each metric: old rows are not read.
export const LAG = statement(
  'ledger.lag',
  `WITH n AS MATERIALIZED (SELECT clock_timestamp() AS at),
    f AS (SELECT t.fence_reason, count(*) FROM tenant t WHERE t.fenced GROUP BY t.fence_reason),
    i AS (SELECT x.code, count(*) FROM n CROSS JOIN tenant t CROSS JOIN LATERAL (
        SELECT y.code FROM incident y
        WHERE y.tenant = t.tenant AND y.created_at > n.at - interval '1 hour' ORDER BY y.created_at DESC LIMIT 1000) x
      GROUP BY x.code)
  SELECT ${age(`(SELECT min(w.created_at) FROM ledger_head h CROSS JOIN LATERAL (
      SELECT o.created_at FROM outbox o WHERE o.tenant = h.tenant ORDER BY o.id LIMIT 1) w)`)} AS "unchainedSeconds",
    ${age(`(SELECT min(k.created_at) FROM ledger_head h CROSS JOIN LATERAL (
      SELECT c.created_at FROM checkpoint c WHERE c.tenant = h.tenant AND NOT c.applied ORDER BY c.sequence LIMIT 1) k
      WHERE h.anchored_sequence < h.checkpoint_sequence)`)} AS "unanchoredSeconds",
    (SELECT count(*) FROM tenant) AS tenants,
    (SELECT coalesce(json_object_agg(coalesce(f.fence_reason, 'unknown'), f.count), '{}') FROM f) AS fenced,
    (SELECT coalesce(json_object_agg(i.code, i.count), '{}') FROM i) AS incidents
  FROM n`,
  { about: 'all' },
);

/** How far behind the chain is, over all tenants. */
export class LagStore {
  constructor(private readonly pool: Pool) {}

  async lag(): Promise<Lag> {
    return (await askOne<Lag>(this.pool, LAG, {})) as Lag;
  }
}
