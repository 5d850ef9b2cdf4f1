import type pg from 'pg';
import type { Pool } from './pool.js';
import { keyed } from './request-row.js';

/**
 * Which trace a record belongs to (docs/tracing.md). Only called while tracing is on, and never a reason to fail: work is
 * not traced if its row cannot be written or read.
 */
export class Traces {
  constructor(private readonly pool: Pool) {}

  /** Before the record is committed, so that every reader of the record finds this. */
  async note(tenant: string, recordId: string, traceparent: string): Promise<void> {
    await this.pool
      .of(tenant)
      .query({
        name: 'trace.note',
        text: 'INSERT INTO trace (tenant, record_id, traceparent) VALUES ($1, $2::uuid, $3)',
        values: [tenant, recordId, traceparent],
      })
      .catch(() => {});
  }

  /** By record id; those that belong to no sampled trace are left out. */
  async of(tenant: string, recordIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (recordIds.length === 0) return new Map();
    return this.#read(tenant, {
      name: 'trace.of',
      text: `SELECT k.id, x.traceparent FROM unnest($2::uuid[]) AS k (id)
        ${keyed('trace', 'x', 'x.record_id = k.id')} WHERE x.traceparent IS NOT NULL`,
      values: [tenant, recordIds],
    });
  }

  /** Of the records that a tenant's chain has after `after` up to `through`; of one type when it is given. */
  async ofEntries(
    tenant: string,
    after: number,
    through: number,
    type: string | null = null,
  ): Promise<ReadonlyMap<string, string>> {
    return this.#read(tenant, {
      name: 'trace.of-entries',
      text: `SELECT e.record_id AS id, x.traceparent FROM ledger_entry e
        ${keyed('trace', 'x', 'x.record_id = e.record_id')}
        WHERE e.tenant = $1 AND e.sequence > $2 AND e.sequence <= $3 AND ($4::text IS NULL OR e.type = $4)
          AND x.traceparent IS NOT NULL`,
      values: [tenant, after, through, type],
    });
  }

  async #read(tenant: string, query: pg.QueryConfig): Promise<ReadonlyMap<string, string>> {
    try {
      const { rows } = await this.pool.of(tenant).query<{ id: string; traceparent: string }>(query);
      return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
    } catch {
      return new Map();
    }
  }
}
