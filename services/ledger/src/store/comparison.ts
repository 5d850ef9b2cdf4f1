import { acrossTenants, ask, askOne, statements } from '@countersign/database';
import type { Pool } from '@countersign/database';
import type { Digest } from '@countersign/protocol';

/** A tenant whose ledger is to be compared with the anchor store. */
export interface ComparedTenant {
  readonly tenant: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly fenced: boolean;
  /** Newest checkpoint of this generation that the store has accepted, 0 when none. */
  readonly accepted: number;
}

const TENANTS = `SELECT t.tenant, t.ledger_id AS "ledgerId", t.generation, t.fenced, coalesce((
    SELECT k.sequence FROM checkpoint k
    WHERE k.tenant = t.tenant AND k.generation = t.generation AND k.acceptance IS NOT NULL
    ORDER BY k.sequence DESC LIMIT 1), 0) AS accepted
  FROM tenant t`;

export const COMPARISON = statements('ledger', {
  comparisonDue: acrossTenants(`${TENANTS} WHERE t.compared_at IS NULL
      OR t.compared_at < greatest(pg_postmaster_start_time(), clock_timestamp() - make_interval(secs => :every_ms::float8 / 1000))
    ORDER BY t.compared_at NULLS FIRST LIMIT :most`),
  uncompared: `${TENANTS} WHERE t.tenant = $1 AND (t.compared_at IS NULL OR t.compared_at < pg_postmaster_start_time())`,
  heads: `SELECT h.sequence AS last, e.sequence, e.head FROM ledger_head h
    LEFT JOIN ledger_entry e ON e.tenant = $1 AND e.sequence = ANY (:sequences::bigint[]) WHERE h.tenant = $1`,
  agreed: `UPDATE tenant SET compared_at = clock_timestamp(),
      fenced = fenced AND fence_reason IS DISTINCT FROM 'new_tenant',
      directory_revision = directory_revision + CASE WHEN fence_reason = 'new_tenant' THEN 1 ELSE 0 END,
      fence_reason = nullif(fence_reason, 'new_tenant')
    WHERE tenant = $1 AND generation = :generation`,
});

/** The reads and results of R18's comparison. */
export class ComparisonStore {
  constructor(private readonly pool: Pool) {}

  /** Tenants that were not compared since this server started, or not for `everyMs`; the longest wait first. */
  async due(everyMs: number, most: number): Promise<ComparedTenant[]> {
    const values = { every_ms: everyMs, most };
    return (await ask<ComparedTenant>(this.pool, COMPARISON.comparisonDue, values)).rows;
  }

  /** The tenant, unless it was compared since this server started. */
  uncompared(tenant: string): Promise<ComparedTenant | undefined> {
    return askOne(this.pool, COMPARISON.uncompared, { tenant });
  }

  /** Where our chain ends, and its heads at these sequences, as far as it has them. */
  async heads(
    tenant: string,
    sequences: readonly number[],
  ): Promise<{ last: number; heads: Map<number, Digest> }> {
    const { rows } = await ask<{ sequence: number; head: Digest; last: number }>(
      this.pool,
      COMPARISON.heads,
      { tenant, sequences },
    );
    return {
      last: rows[0]?.last ?? 0,
      heads: new Map(rows.map(({ sequence, head }) => [sequence, head])),
    };
  }

  /** The store knows nothing else of this generation: a tenant that waited for its first comparison is open now. */
  async agreed({ tenant, generation }: ComparedTenant): Promise<void> {
    await ask(this.pool, COMPARISON.agreed, { tenant, generation });
  }
}
