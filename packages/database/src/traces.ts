import { ask } from './pool.js';
import type { Pool } from './pool.js';
import { keyed } from './request-row.js';
import { statements } from './statement.js';
import type { Statement, Values } from './statement.js';

export const TRACE_STATEMENTS = statements('trace', {
  note: 'INSERT INTO trace (tenant, record_id, traceparent) VALUES ($1, :record_id::uuid, :traceparent)',
  of: `SELECT k.id, x.traceparent FROM unnest(:record_ids::uuid[]) AS k (id)
    ${keyed('trace', 'x', 'x.record_id = k.id')} WHERE x.traceparent IS NOT NULL`,
  ofEntries: `SELECT e.record_id AS id, x.traceparent FROM ledger_entry e
    ${keyed('trace', 'x', 'x.record_id = e.record_id')}
    WHERE e.tenant = $1 AND e.sequence > :after AND e.sequence <= :through AND (:type::text IS NULL OR e.type = :type)
      AND x.traceparent IS NOT NULL`,
});

/**
 * Which trace a record belongs to (docs/tracing.md). Only called while tracing is on, and never a reason to fail: work is
 * not traced if its row cannot be written or read.
 */
export class Traces {
  constructor(private readonly pool: Pool) {}

  /** Before the record is committed, so that every reader of the record finds this. */
  async note(tenant: string, recordId: string, traceparent: string): Promise<void> {
    const values = { tenant, record_id: recordId, traceparent };
    await ask(this.pool, TRACE_STATEMENTS.note, values).catch(() => {});
  }

  /** By record id; those that belong to no sampled trace are left out. */
  async of(tenant: string, recordIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (recordIds.length === 0) return new Map();
    return this.#read(TRACE_STATEMENTS.of, { tenant, record_ids: recordIds });
  }

  /** Of the records that a tenant's chain has after `after` up to `through`; of one type when it is given. */
  async ofEntries(
    tenant: string,
    after: number,
    through: number,
    type: string | null = null,
  ): Promise<ReadonlyMap<string, string>> {
    return this.#read(TRACE_STATEMENTS.ofEntries, { tenant, after, through, type });
  }

  async #read(of: Statement, values: Values): Promise<ReadonlyMap<string, string>> {
    try {
      const { rows } = await ask<{ id: string; traceparent: string }>(this.pool, of, values);
      return new Map(rows.map(({ id, traceparent }) => [id, traceparent]));
    } catch {
      return new Map();
    }
  }
}
