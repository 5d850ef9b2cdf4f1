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

export interface AppRow extends RequestRow {
  payload: string | null;
  bundle_manifest: string | null;
  bundle_html: string | null;
}

export interface HitlRow extends RequestRow {
  receipt: string | null;
  candidate: string | null;
  /** Of a pending request only. */
  response_schema: string | null;
  cancelled_at: number | null;
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
      `w AS (INSERT INTO retained AS x (tenant, scope, subject, bytes)
        SELECT $1, 'owner', g.owner, -m.bytes FROM m, lifecycle g WHERE g.tenant = $1 AND g.request_id = $3::uuid
        ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes)`,
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

/** With the bundle that the request binds, as it is stored now. */
const APP = {
  name: 'request.app',
  text: `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY_COLUMNS}, m.payload, b.manifest AS bundle_manifest, b.html AS bundle_html
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  LEFT JOIN bundle b ON b.tenant = l.tenant AND b.id = r.bundle_id
  WHERE t.tenant = $1`,
};

// What ended a review is the first event with the state that it has now; later ones, such as cancelling once more,
// repeat it. A retired namespace has no event of its own (contract §11.9): its incident says when.
const HITL = {
  name: 'request.hitl',
  text: `SELECT ${REQUEST_COLUMNS}, p.record AS receipt, c.candidate,
    CASE WHEN l.decision = 'pending' THEN m.response_schema END AS response_schema,
    CASE WHEN l.decision IN ('cancelled', 'superseded') THEN coalesce(
      (SELECT min(e.issued_at) FROM (
          SELECT x.issued_at, x.record FROM record x
          WHERE x.tenant = l.tenant AND x.request_id = l.request_id AND x.type = 'RequestChangedEvent' ORDER BY x.id LIMIT 16
        ) e WHERE e.record::jsonb #>> '{payload,state,decision}' = l.decision),
      (SELECT min(n.created_at) FROM incident n
        WHERE n.tenant = l.tenant AND n.code = 'namespace_retired' AND n.created_at >= l.accepted_at)
    ) END AS cancelled_at
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  LEFT JOIN record p ON p.tenant = l.tenant AND p.id = l.receipt_id
  LEFT JOIN candidate c ON c.tenant = l.tenant AND c.request_id = l.request_id
    AND c.reviewer = p.record::jsonb -> 'payload' ->> 'reviewer'
    AND c.digest = p.record::jsonb -> 'payload' ->> 'candidate_digest'
  WHERE t.tenant = $1`,
};

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

  async app(caller: CallerIdentity, id: string): Promise<AppRow | undefined> {
    const { rows } = await this.pool.query<AppRow>({
      ...APP,
      values: [caller.tenant, id, caller.id, '', null],
    });
    return rows[0];
  }

  async hitl(caller: CallerIdentity, id: string): Promise<HitlRow | undefined> {
    const { rows } = await this.pool.query<HitlRow>({
      ...HITL,
      values: [caller.tenant, id, caller.id, '', null],
    });
    return rows[0];
  }
}
