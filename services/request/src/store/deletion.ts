import {
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  ask,
  asked,
  inTransaction,
  loadRequest,
  statement,
  placed,
  settleDeadlines,
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

// What was saved while the deletion of its request waited for it was not seen by that statement; here it is: a candidate that
// was frozen, and a reading.
export const SWEEP_PRIVATE = statement(
  'request.sweep-private',
  `WITH l AS (
    SELECT x.request_id FROM lifecycle x WHERE x.tenant = $1 AND x.request_id = :request_id::uuid AND x.material_deleted
  ), c AS (
    DELETE FROM candidate USING l WHERE candidate.tenant = $1 AND candidate.request_id = :request_id::uuid
  ), f AS (
    DELETE FROM reading USING l WHERE reading.tenant = $1 AND reading.request_id = :request_id::uuid
  ), y AS (
    UPDATE idempotency SET result = NULL FROM l WHERE idempotency.tenant = $1 AND idempotency.request_id = :request_id::uuid
      AND idempotency.operation = 'review.propose:' || :request_id AND idempotency.result IS NOT NULL
  ) ${settleDeadlines({ request: ':request_id::uuid', kind: "'private_deletion'", from: 'l' })}`,
);

// Every step of the request holds this row, so all its writes are seen by the statements after this one.
export const HOLD = statement(
  'request.hold',
  `SELECT floor(extract(epoch FROM clock_timestamp() - x.audit_delete_at) * 1000)::float8 AS late
  FROM lifecycle x WHERE x.tenant = $1 AND x.request_id = :request_id::uuid FOR UPDATE`,
);

/** A key that made a request names none, and must never be taken again: its answer goes, and it stays. */
const MADE_A_REQUEST = `(x.operation = 'request.create' OR x.operation LIKE 'request.supersede:%'
  AND x.operation <> 'request.supersede:' || :request_id)`;

/** The votes of a request and the records that they cite (protocol §18), which may be of a later release. */
const VOTES = ['approval', 'approval_person', 'quorum_state', 'request_evidence', 'reading'].map(
  (table) => `of_${table} AS (
    DELETE FROM ${table} x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  )`,
);

// Evidence that is not chained yet is chained first: its text is not needed for that, but its events are numbered then.
export const DELETE_REQUEST = statement(
  'request.delete',
  `WITH g AS (
    SELECT count(r.id) = (SELECT count(*) FROM ledger_entry e WHERE e.tenant = $1 AND e.request_id = :request_id::uuid) AS chained
    FROM record r WHERE r.tenant = $1 AND r.request_id = :request_id::uuid
  ), t AS (
    UPDATE record x SET record = NULL FROM g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
      AND x.record IS NOT NULL
  ), v AS (
    DELETE FROM event x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  ), j AS (
    DELETE FROM delivery USING g ${placed('delivery', 'k', 'x.request_id = :request_id::uuid ORDER BY x.created_at DESC')}
    WHERE g.chained AND delivery.ctid = k.at
  ), y AS (
    UPDATE idempotency x SET result = NULL FROM g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
      AND ${MADE_A_REQUEST}
  ), z AS (
    DELETE FROM idempotency x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
      AND NOT ${MADE_A_REQUEST}
  ), m AS (
    DELETE FROM material x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid RETURNING x.bytes
  ), w AS (
    INSERT INTO retained AS x (tenant, scope, subject, bytes)
    SELECT $1, 'owner', l.owner, -m.bytes FROM m, lifecycle l WHERE l.tenant = $1 AND l.request_id = :request_id::uuid
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
  ), c AS (
    DELETE FROM candidate x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  ), s AS (
    DELETE FROM assignment x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  ), n AS (
    DELETE FROM nonce x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  ), ${VOTES.join(', ')}, d AS (
    DELETE FROM deadline x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  ), l AS (
    DELETE FROM lifecycle x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  ), r AS (
    DELETE FROM request x USING g WHERE g.chained AND x.tenant = $1 AND x.id = :request_id::uuid
  ) SELECT g.chained FROM g`,
);

export class DeletionStore {
  constructor(private readonly pool: Pool) {}

  async load(item: DueDeadline): Promise<RequestRow | undefined> {
    return loadRequest(this.pool, LOAD_DELETED, workerValues(item));
  }

  /**
   * After a deletion by any caller: candidates that were being frozen beside it are deleted too, and the deadline is done.
   */
  async sweepPrivate(item: DueDeadline): Promise<void> {
    const { tenant, requestId } = item;
    await ask(this.pool, SWEEP_PRIVATE, { tenant, request_id: requestId });
  }

  /**
   * Protocol §11.3: all of a request but its entries in the chain and the facts that it took for ever. Not before its time,
   * when `lateMs` is negative, and not before all of its evidence is chained.
   */
  async deleteRequest(item: DueDeadline): Promise<{ lateMs: number; deleted: boolean }> {
    const values = { tenant: item.tenant, request_id: item.requestId };
    return inTransaction(this.pool.of(item.tenant), async (client) => {
      const held = await client.query<{ late: number }>(asked(HOLD, values));
      const lateMs = held.rows[0]?.late ?? 0;
      if (lateMs < 0) return { lateMs, deleted: false };
      const deleted = await client.query<{ chained: boolean }>(asked(DELETE_REQUEST, values));
      return { lateMs, deleted: deleted.rows[0]?.chained === true };
    });
  }
}
