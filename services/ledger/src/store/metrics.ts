import { askOne, keyed, statement } from '@countersign/database';
import type { Pool, RunName } from '@countersign/database';

/** Figures of one tenant at one moment. Times are epoch milliseconds, ages seconds. */
export interface MetricsRow {
  now: number;
  fenced: boolean;
  retained: number;
  pending: number;
  unresolved_execution: number;
  /** Acceptance of the oldest pending request, null when there is none. */
  oldest_pending: number | null;
  retained_bytes: number;
  enabled_reviewers: number;
  delivery: { kind: string; state: string; count: number; oldest_seconds: number }[];
  /** Newest first, at most as many as asked for. */
  incidents: { id: string; code: string; created_at: number }[];
  runs: { name: RunName; succeeded_at: number | null; failed_at: number | null }[];
  http_total: number;
  http_failures: number;
  http_conflicts: number;
}

const milliseconds = (time: string) => `round(extract(epoch FROM ${time}) * 1000)::float8`;
const age = (time: string) => `round(extract(epoch FROM n.at - ${time}), 3)`;

// Each figure by an index that holds just its rows; pending as it is effective, whether or not expiry is written yet.
export const SNAPSHOT = statement(
  'ledger.metrics',
  `SELECT ${milliseconds('n.at')} AS now, t.fenced,
    (SELECT count(*) FROM material m WHERE m.tenant = t.tenant) AS retained,
    (SELECT count(*) FROM lifecycle l WHERE l.tenant = t.tenant AND l.decision = 'pending' AND l.review_deadline > n.at)
      AS pending,
    (SELECT ${milliseconds('l.accepted_at')} FROM lifecycle l
      WHERE l.tenant = t.tenant AND l.decision = 'pending' AND l.review_deadline > n.at ORDER BY l.accepted_at LIMIT 1)
      AS oldest_pending,
    (SELECT count(*) FROM deadline d ${keyed('lifecycle', 'l', 'x.request_id = d.request_id')}
      WHERE d.tenant = t.tenant AND d.kind = 'reconciliation'
        AND l.execution IN ('claimed', 'admitted', 'uncertain') AND l.outcome_id IS NULL) AS unresolved_execution,
    (SELECT coalesce(sum(r.bytes), 0)::bigint FROM retained r WHERE r.tenant = t.tenant AND r.scope = 'owner')
      AS retained_bytes,
    (SELECT count(DISTINCT v.reviewer) FROM route_reviewer v JOIN principal p ON p.tenant = v.tenant AND p.id = v.reviewer
      WHERE v.tenant = t.tenant AND p.kind = 'human' AND p.enabled) AS enabled_reviewers,
    (SELECT coalesce(json_agg(json_build_object('kind', j.kind, 'state', j.state, 'count', j.count,
        'oldest_seconds', j.oldest) ORDER BY j.kind, j.state), '[]')
      FROM (
        SELECT x.kind, x.state, count(*), ${age('min(x.created_at)')} AS oldest
        FROM delivery x WHERE x.tenant = t.tenant AND x.kind <> '' GROUP BY x.kind, x.state
        UNION ALL SELECT 'checkpoint', 'pending', open.count, ${age('open.oldest')} WHERE open.count > 0
        UNION ALL SELECT 'checkpoint', 'accepted', made.count - open.of_generation, ${age('made.oldest')}
          WHERE made.count > open.of_generation
      ) j) AS delivery,
    (SELECT coalesce(json_agg(json_build_object('id', i.id, 'code', i.code, 'created_at', ${milliseconds('i.created_at')})
        ORDER BY i.created_at DESC, i.id DESC), '[]')
      FROM (SELECT * FROM incident y WHERE y.tenant = t.tenant ORDER BY y.created_at DESC, y.id DESC LIMIT :incidents) i)
      AS incidents,
    (SELECT coalesce(json_agg(json_build_object('name', o.name, 'succeeded_at', ${milliseconds('o.succeeded_at')},
        'failed_at', ${milliseconds('o.failed_at')})), '[]')
      FROM operation_run o WHERE o.tenant = t.tenant) AS runs,
    coalesce(h.total, 0) AS http_total, coalesce(h.failures, 0) AS http_failures, coalesce(h.conflicts, 0) AS http_conflicts
  FROM (SELECT clock_timestamp() AS at OFFSET 0) n
  CROSS JOIN tenant t
  LEFT JOIN http_count h ON h.tenant = t.tenant
  CROSS JOIN LATERAL (SELECT count(*), count(*) FILTER (WHERE k.generation = t.generation) AS of_generation,
      min(k.created_at) AS oldest
    FROM checkpoint k WHERE k.tenant = t.tenant AND NOT k.applied) open
  CROSS JOIN LATERAL (SELECT count(*), (SELECT f.created_at FROM checkpoint f
        WHERE f.tenant = t.tenant AND f.generation = t.generation ORDER BY f.sequence LIMIT 1) AS oldest
    FROM checkpoint k WHERE k.tenant = t.tenant AND k.generation = t.generation) made
  WHERE t.tenant = $1`,
);

export class MetricsStore {
  constructor(private readonly pool: Pool) {}

  snapshot(tenant: string, incidents: number): Promise<MetricsRow | undefined> {
    return askOne(this.pool, SNAPSHOT, { tenant, incidents });
  }
}
