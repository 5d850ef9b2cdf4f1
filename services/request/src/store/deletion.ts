import {
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  inTransaction,
  loadRequest,
  statement,
  placed,
  stepStatement,
  workerValues,
} from '@countersign/database';
import type { DueDeadline, Pool, RequestRow } from '@countersign/database';
import { DISCARDING } from './discarding.js';

export const LOAD_DELETED = statement(
  'request.load-deletion',
  `SELECT ${REQUEST_COLUMNS} ${REQUEST_JOINS} WHERE t.tenant = $1`,
);

/** Protocol §11.2 with its records, in one step; `sweepPrivate` ends it. */
export const DELETE_PRIVATE = stepStatement('request.delete-private', {
  moves: ['decision', 'grant_state', 'invalidated', 'revision', 'material_deleted'],
  records: 'any',
  settles: true,
  with: DISCARDING,
});

// A candidate that was frozen while its request's deletion waited for it was not seen by that statement; here it is.
const SWEEP_PRIVATE = {
  name: 'request.sweep-private',
  text: `WITH l AS (
    SELECT x.request_id FROM lifecycle x WHERE x.tenant = $1 AND x.request_id = $2::uuid AND x.material_deleted
  ), c AS (
    DELETE FROM candidate USING l WHERE candidate.tenant = $1 AND candidate.request_id = $2::uuid
  ), y AS (
    UPDATE idempotency SET result = NULL FROM l WHERE idempotency.tenant = $1 AND idempotency.request_id = $2::uuid
      AND idempotency.operation = 'review.propose:' || $2 AND idempotency.result IS NOT NULL
  ) UPDATE deadline SET done_at = clock_timestamp() FROM l WHERE deadline.tenant = $1 AND deadline.request_id = $2::uuid
    AND deadline.kind = 'private_deletion' AND deadline.done_at IS NULL`,
};

// Everything that moves the request holds this row, so whatever it wrote is seen by the statements after this one.
const HOLD = `SELECT floor(extract(epoch FROM clock_timestamp() - x.audit_delete_at) * 1000)::float8 AS late
  FROM lifecycle x WHERE x.tenant = $1 AND x.request_id = $2::uuid FOR UPDATE`;

/** A key that made a request names none, and must never be taken again: its answer goes, and it stays. */
const MADE_A_REQUEST = `(x.operation = 'request.create' OR x.operation LIKE 'request.supersede:%'
  AND x.operation <> 'request.supersede:' || $2)`;

// Evidence that is not chained yet is chained first: its text is not needed for that, but its events are numbered then.
const DELETE_REQUEST = `WITH g AS (
    SELECT count(r.id) = (SELECT count(*) FROM ledger_entry e WHERE e.tenant = $1 AND e.request_id = $2::uuid) AS chained
    FROM record r WHERE r.tenant = $1 AND r.request_id = $2::uuid
  ), t AS (
    UPDATE record x SET record = NULL FROM g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
      AND x.record IS NOT NULL
  ), v AS (
    DELETE FROM event x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
  ), j AS (
    DELETE FROM delivery USING g ${placed('delivery', 'k', 'x.request_id = $2::uuid ORDER BY x.created_at DESC')}
    WHERE g.chained AND delivery.ctid = k.at
  ), y AS (
    UPDATE idempotency x SET result = NULL FROM g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
      AND ${MADE_A_REQUEST}
  ), z AS (
    DELETE FROM idempotency x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
      AND NOT ${MADE_A_REQUEST}
  ), m AS (
    DELETE FROM material x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid RETURNING x.bytes
  ), w AS (
    INSERT INTO retained AS x (tenant, scope, subject, bytes)
    SELECT $1, 'owner', l.owner, -m.bytes FROM m, lifecycle l WHERE l.tenant = $1 AND l.request_id = $2::uuid
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
  ), c AS (
    DELETE FROM candidate x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
  ), s AS (
    DELETE FROM assignment x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
  ), n AS (
    DELETE FROM nonce x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
  ), d AS (
    DELETE FROM deadline x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
  ), l AS (
    DELETE FROM lifecycle x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = $2::uuid
  ), r AS (
    DELETE FROM request x USING g WHERE g.chained AND x.tenant = $1 AND x.id = $2::uuid
  ) SELECT g.chained FROM g`;

export class DeletionStore {
  constructor(private readonly pool: Pool) {}

  async load(item: DueDeadline): Promise<RequestRow | undefined> {
    return loadRequest(this.pool, LOAD_DELETED, workerValues(item));
  }

  /** After a deletion, whoever made it: what was on its way beside it goes too, and the deadline is done. */
  async sweepPrivate(item: DueDeadline): Promise<void> {
    await this.pool
      .of(item.tenant)
      .query({ ...SWEEP_PRIVATE, values: [item.tenant, item.requestId] });
  }

  /**
   * Protocol §11.3: all of a request but its places in the chain and what it took for ever. Not before its time, when
   * `lateMs` is negative, and not before all of its evidence is chained.
   */
  async deleteRequest(item: DueDeadline): Promise<{ lateMs: number; deleted: boolean }> {
    const values = [item.tenant, item.requestId];
    return inTransaction(this.pool.of(item.tenant), async (client) => {
      const held = await client.query<{ late: number }>({
        name: 'request.hold',
        text: HOLD,
        values,
      });
      const lateMs = held.rows[0]?.late ?? 0;
      if (lateMs < 0) return { lateMs, deleted: false };
      const deleted = await client.query<{ chained: boolean }>({
        name: 'request.delete',
        text: DELETE_REQUEST,
        values,
      });
      return { lateMs, deleted: deleted.rows[0]?.chained === true };
    });
  }
}
