import type pg from 'pg';
import {
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  ask,
  asked,
  heldUntil,
  hiddenRow,
  holdDeadline,
  inTransaction,
  loadRequest,
  statement,
  placed,
  settleDeadlines,
  stepStatement,
  workerValues,
} from '@countersign/database';
import type { DueDeadline, Pool, RequestRow } from '@countersign/database';
import { DISCARDING, withoutMaterial } from './discarding.js';

const REQUEST = ':request_id::uuid';

export const LOAD_DELETED = statement(
  'request.load-deletion',
  `SELECT ${REQUEST_COLUMNS}, ${heldUntil(REQUEST)} AS held_until ${REQUEST_JOINS} WHERE t.tenant = $1`,
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

/** Of a request that is held while its material's time is over: the expiry that would have been part of the deletion. */
export const EXPIRE_HELD = stepStatement('request.expire-held', {
  moves: ['decision', 'grant_state', 'revision'],
  records: 'any',
  settles: true,
});

/** What is still said of material that is held goes when the material would. */
export const CONCEAL_MATERIAL = statement(
  'request.conceal-material',
  `WITH l AS (SELECT 1), ${withoutMaterial(':request_id').join(', ')} SELECT 1 AS concealed`,
);

// A lift ends the rest, and waits for this row: what is read after this statement is not lifted unseen.
export const HOLD_DEADLINE = statement(
  'request.hold-deadline',
  `SELECT x.due FROM deadline x WHERE x.tenant = $1 AND x.request_id = :request_id::uuid AND x.kind = :kind AND x.done_at IS NULL
  FOR UPDATE`,
);

/** The deletion rests until the request is held no more, and that counts as no failure. */
export const REST_HELD = statement(
  'request.rest-held',
  holdDeadline({ request: REQUEST, kind: ':kind', until: heldUntil(REQUEST) }),
);

const SINCE = (time: string) =>
  `floor(extract(epoch FROM clock_timestamp() - ${time}) * 1000)::float8`;

// Every step of the request holds this row, so all its writes are seen by the statements after this one.
export const HOLD = statement(
  'request.hold',
  `SELECT ${SINCE('x.audit_delete_at')} AS late, ${SINCE(heldUntil(REQUEST))} AS free,
    x.hidden IS TRUE AND NOT x.material_deleted AS unrecorded,
    EXISTS (SELECT FROM deadline d WHERE d.tenant = $1 AND d.request_id = :request_id::uuid AND d.kind = 'private_deletion'
      AND d.done_at IS NULL AND (d.rests_until IS NULL OR d.rests_until <= clock_timestamp())) AS unconcealed
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

/** Whether the evidence is chained: its text is not needed for that, but its events are numbered then. */
const CHAINED = `g AS (
    SELECT count(r.id) = (SELECT count(*) FROM ledger_entry e WHERE e.tenant = $1 AND e.request_id = :request_id::uuid) AS chained
    FROM record r WHERE r.tenant = $1 AND r.request_id = :request_id::uuid
  )`;

/** What only tells of a request. */
const MENTIONS = `v AS (
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
  ), s AS (
    DELETE FROM assignment x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
  )`;

// Evidence that is not chained yet is chained first.
export const DELETE_REQUEST = statement(
  'request.delete',
  `WITH ${CHAINED}, t AS (
    UPDATE record x SET record = NULL FROM g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
      AND x.record IS NOT NULL
  ), ${MENTIONS}, m AS (
    DELETE FROM material x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid RETURNING x.bytes
  ), w AS (
    INSERT INTO retained AS x (tenant, scope, subject, bytes)
    SELECT $1, 'owner', l.owner, -m.bytes FROM m, lifecycle l WHERE l.tenant = $1 AND l.request_id = :request_id::uuid
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
  ), c AS (
    DELETE FROM candidate x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
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

/** A request that is held is hidden where it would be deleted, and nothing but its deletions is left to do (protocol §20.7). */
export const HIDE_REQUEST = statement(
  'request.hide',
  `WITH ${CHAINED}, ${MENTIONS}, d AS (
    DELETE FROM deadline x USING g WHERE g.chained AND x.tenant = $1 AND x.request_id = :request_id::uuid
      AND x.kind NOT IN ('private_deletion', 'audit_deletion')
  ), l AS (
    ${hiddenRow({ request: REQUEST, from: 'g', and: 'g.chained' })}
  ) SELECT g.chained FROM g`,
);

/**
 * `lateMs` counts from the deadline, or from the end of a hold that was in its way; to be hidden is never late. `done`: it was deleted
 * or is hidden.
 */
export interface AuditDeletion {
  readonly lateMs: number;
  readonly done: boolean;
}

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

  /** Of a request that is held while the time of its material is over. */
  async concealMaterial(item: DueDeadline): Promise<void> {
    const values = { tenant: item.tenant, request_id: item.requestId };
    await ask(this.pool, CONCEAL_MATERIAL, values);
    await inTransaction(this.pool.of(item.tenant), (client) => rest(client, item));
  }

  /**
   * Protocol §11.3: all of a request but its entries in the chain and the facts that it took for ever; a request that is held is
   * hidden. Not before its time, when `lateMs` is negative, and not before all of its evidence is chained.
   */
  async deleteRequest(item: DueDeadline): Promise<AuditDeletion> {
    const values = { tenant: item.tenant, request_id: item.requestId };
    return inTransaction(this.pool.of(item.tenant), async (client) => {
      const held = await client.query<HeldRow>(asked(HOLD, values));
      const row = held.rows[0];
      const free = row?.free ?? Infinity;
      const isHeld = free < 0;
      const lateMs = isHeld ? (row?.late ?? 0) : Math.min(row?.late ?? 0, free);
      // The deadline of the material comes first, with its record.
      const isEarly = isHeld ? row?.unconcealed : row?.unrecorded;
      if (lateMs < 0 || isEarly === true) return { lateMs: Math.min(lateMs, 0), done: false };
      const statement = isHeld ? HIDE_REQUEST : DELETE_REQUEST;
      const { rows } = await client.query<{ chained: boolean }>(asked(statement, values));
      const done = rows[0]?.chained === true;
      if (!done || !isHeld) return { lateMs, done };
      await rest(client, item);
      return { lateMs: 0, done };
    });
  }
}

interface HeldRow {
  readonly late: number;
  /** Since the end of the last hold; negative while one is in force, null without any. */
  readonly free: number | null;
  /** Hidden, and its material was not deleted yet. */
  readonly unrecorded: boolean;
  /** The deadline of its material was not met yet. */
  readonly unconcealed: boolean;
}

async function rest(
  client: pg.PoolClient,
  { tenant, requestId, kind }: DueDeadline,
): Promise<void> {
  const values = { tenant, request_id: requestId, kind };
  await client.query(asked(HOLD_DEADLINE, values));
  await client.query(asked(REST_HELD, values));
}
