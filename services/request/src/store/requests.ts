import type pg from 'pg';
import {
  ANCHOR_COLUMN,
  ANCHOR_JOIN,
  FIRST_OWN_PARAMETER,
  INTEGRITY_COLUMNS,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  saveTransition,
  transitValues,
  transitionSql,
} from '@countersign/database';
import type { CallerIdentity, RequestRow, Transit } from '@countersign/database';
import type { Lifecycle } from '@countersign/protocol';
import type { StatusParts } from '../status-view.js';

export type StatusRow = RequestRow & StatusParts;

export interface MaterialRow extends RequestRow {
  payload: string | null;
  response_schema: string | null;
  review_document: string | null;
  candidate: string | null;
}

const PARTS = `p.record AS receipt, c.record AS claim, u.record AS outcome, ${ANCHOR_COLUMN},
  coalesce((SELECT json_agg(json_build_object('id', x.id, 'kind', x.kind, 'state', x.state, 'attempts', x.attempts,
      'error', x.error) ORDER BY x.created_at DESC, x.id)
    FROM (SELECT * FROM delivery y WHERE y.tenant = l.tenant AND y.request_id = l.request_id
      ORDER BY y.created_at DESC, y.id LIMIT 30) x)::text, '[]') AS deliveries`;
const PART_JOINS = `
  LEFT JOIN record p ON p.tenant = l.tenant AND p.id = l.receipt_id
  LEFT JOIN record c ON c.tenant = l.tenant AND c.id = l.claim_id
  LEFT JOIN record u ON u.tenant = l.tenant AND u.id = l.outcome_id ${ANCHOR_JOIN}`;

const STATUS = {
  name: 'request.status',
  text: `SELECT ${REQUEST_COLUMNS}, ${PARTS} ${REQUEST_JOINS} ${PART_JOINS} WHERE t.tenant = $1`,
};

const INTEGRAL = {
  name: 'request.integral',
  text: `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY_COLUMNS}, ${PARTS} ${REQUEST_JOINS} ${MATERIAL_JOIN} ${PART_JOINS}
    WHERE t.tenant = $1`,
};

const WITHDRAWN = ['decision', 'grant_state', 'invalidated', 'revision'];
// An unconfirmed candidate ends with the request.
const WITHDRAW = {
  name: 'request.withdraw',
  text: transitionSql({
    columns: WITHDRAWN,
    with: [
      `c AS (UPDATE candidate SET live = false FROM l WHERE candidate.tenant = $1 AND candidate.request_id = $3::uuid
        AND candidate.live AND $${FIRST_OWN_PARAMETER} <> 'confirmed')`,
    ],
  }),
};
// Private deletion (contract §11.2): material and candidates go, stored candidate answers are cleared, the room is free.
const DISCARD = {
  name: 'request.discard',
  text: transitionSql({
    columns: [...WITHDRAWN, 'private_delete_at', 'material_deleted'],
    with: [
      `m AS (DELETE FROM material USING l WHERE material.tenant = $1 AND material.request_id = $3::uuid
        RETURNING material.bytes)`,
      `c AS (DELETE FROM candidate USING l WHERE candidate.tenant = $1 AND candidate.request_id = $3::uuid)`,
      `y AS (UPDATE idempotency SET result = NULL FROM l WHERE idempotency.tenant = $1
        AND idempotency.request_id = $3::uuid AND idempotency.operation = 'review.propose:' || $3)`,
      `w AS (UPDATE retained SET bytes = greatest(0, retained.bytes - m.bytes) FROM m, lifecycle g
        WHERE g.tenant = $1 AND g.request_id = $3::uuid AND retained.tenant = $1 AND retained.scope = 'owner'
          AND retained.subject = g.owner)`,
    ],
  }),
};

/** The caller's own candidate for a human, else the newest (R9). */
const MATERIAL = {
  name: 'request.material',
  text: `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY_COLUMNS}, m.payload, m.response_schema, m.review_document,
    c.candidate
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  LEFT JOIN LATERAL (
    SELECT x.candidate FROM candidate x WHERE x.tenant = l.tenant AND x.request_id = l.request_id AND x.live
      AND ($6::text IS NULL OR x.reviewer = $6)
    ORDER BY x.created_at DESC, x.revision DESC LIMIT 1
  ) c ON true
  WHERE t.tenant = $1`,
};

export interface ListRow {
  now: number;
  directory_revision: number;
  /** Null on the one row that carries the time and revision of an empty list. */
  request_id: string | null;
  summary: string;
  decision: RequestRow['decision'];
  audit: RequestRow['audit'];
  grant_state: RequestRow['grant_state'];
  execution: RequestRow['execution'];
  review_deadline: number;
  grant_deadline: number | null;
  fence_reason: string | null;
  assignment_id: string | null;
  assignment_reviewer: string | null;
  assignment_expires_at: number | null;
}

/** Effective states as conditions: a pending row whose time has come counts as expired (contract §11.1). */
const STATE_CONDITION = `CASE $4::text
    WHEN '' THEN true
    WHEN 'pending' THEN l.decision = 'pending' AND l.review_deadline > clock_timestamp()
    WHEN 'expired' THEN l.decision = 'expired' OR (l.decision = 'pending' AND l.review_deadline <= clock_timestamp())
    ELSE l.decision = $4 END`;
const LIST_COLUMNS = `l.tenant, l.request_id, l.decision, l.audit, l.grant_state, l.execution, l.accepted_at,
  l.review_deadline, l.grant_deadline`;
const NEWEST = `ORDER BY accepted_at DESC, request_id LIMIT 51`;

/** One row more than a page, so that the next page is known to exist. */
function listSql(found: string): string {
  return `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, t.directory_revision, t.fence_reason,
    l.request_id, r.summary, l.decision, l.audit, l.grant_state, l.execution, l.review_deadline, l.grant_deadline,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  FROM tenant t
  LEFT JOIN (${found}) l ON l.tenant = t.tenant
  LEFT JOIN request r ON r.tenant = l.tenant AND r.id = l.request_id
  LEFT JOIN assignment s ON s.tenant = l.tenant AND s.request_id = l.request_id
  WHERE t.tenant = $1 ORDER BY l.accepted_at DESC, l.request_id`;
}

const LISTS = {
  operator: {
    name: 'request.list-tenant',
    text: listSql(`SELECT ${LIST_COLUMNS} FROM lifecycle l
      WHERE l.tenant = $1 AND $2::text IS NOT NULL AND ${STATE_CONDITION} ${NEWEST} OFFSET $3`),
  },
  owner: {
    name: 'request.list-owner',
    text: listSql(`SELECT ${LIST_COLUMNS} FROM lifecycle l
      WHERE l.tenant = $1 AND l.owner = $2 AND ${STATE_CONDITION} ${NEWEST} OFFSET $3`),
  },
  // The newest of each route that names the reviewer, merged with what the human owns: one index walk per route.
  human: {
    name: 'request.list-human',
    text: listSql(`SELECT * FROM (
        SELECT f.* FROM route_reviewer v CROSS JOIN LATERAL (
          SELECT ${LIST_COLUMNS} FROM lifecycle l WHERE l.tenant = v.tenant AND l.route = v.route AND ${STATE_CONDITION}
          ORDER BY l.accepted_at DESC, l.request_id LIMIT 51 + $3::integer
        ) f WHERE v.tenant = $1 AND v.reviewer = $2
        UNION
        (SELECT ${LIST_COLUMNS} FROM lifecycle l WHERE l.tenant = $1 AND l.owner = $2 AND ${STATE_CONDITION}
          ORDER BY l.accepted_at DESC, l.request_id LIMIT 51 + $3::integer)
      ) both ${NEWEST} OFFSET $3`),
  },
} as const;

export type ListScope = keyof typeof LISTS;

export class RequestStore {
  constructor(private readonly pool: pg.Pool) {}

  async status(
    caller: CallerIdentity,
    id: string,
    operation = '',
    key: string | null = null,
  ): Promise<StatusRow | undefined> {
    const { rows } = await this.pool.query<StatusRow>({
      ...STATUS,
      values: [caller.tenant, id, caller.id, operation, key],
    });
    return rows[0];
  }

  /** For a transition on a request: with its integrity, and the answer stored under the key. */
  async integral(
    caller: CallerIdentity,
    id: string,
    operation: string,
    key: string | null,
  ): Promise<StatusRow | undefined> {
    const { rows } = await this.pool.query<StatusRow>({
      ...INTEGRAL,
      values: [caller.tenant, id, caller.id, operation, key],
    });
    return rows[0];
  }

  /** Cancel, revoke and discard: the withdrawn state with its records and answer. */
  async withdraw(transit: Transit, next: Lifecycle): Promise<void> {
    await saveTransition(this.pool, next.materialDeleted ? DISCARD : WITHDRAW, [
      ...transitValues(transit),
      next.decision,
      next.grant,
      next.invalidated,
      next.revision,
      ...(next.materialDeleted ? [new Date(next.privateDeleteAt), true] : []),
    ]);
  }

  async directoryRevision(tenant: string): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ directory_revision: number }>({
      name: 'request.directory-revision',
      text: 'SELECT directory_revision FROM tenant WHERE tenant = $1',
      values: [tenant],
    });
    return rows[0]?.directory_revision;
  }

  async material(caller: CallerIdentity, id: string): Promise<MaterialRow | undefined> {
    const { rows } = await this.pool.query<MaterialRow>({
      ...MATERIAL,
      values: [caller.tenant, id, caller.id, '', null, caller.kind === 'human' ? caller.id : null],
    });
    return rows[0];
  }

  /** At most 51 rows, newest first, ties by id; always at least one, whose `request_id` is null when there is none. */
  async list(
    caller: CallerIdentity,
    scope: ListScope,
    offset: number,
    state: string,
  ): Promise<ListRow[]> {
    const { rows } = await this.pool.query<ListRow>({
      ...LISTS[scope],
      values: [caller.tenant, caller.id, offset, state],
    });
    return rows;
  }
}
