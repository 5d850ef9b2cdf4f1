import {
  ANCHOR_COLUMN,
  ANCHOR_JOIN,
  INTEGRITY,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  jsonOf,
  keyed,
  loadRequest,
  loadSized,
  loadValues,
  recordText,
  shownCandidate,
  sized,
  statement,
  stepStatement,
} from '@countersign/database';
import type {
  BundleColumns,
  CallerIdentity,
  MaterialColumns,
  Pool,
  RequestRow,
} from '@countersign/database';
import type { StatusParts } from '../status-view.js';
import { DISCARDING } from './discarding.js';

export type StatusRow = RequestRow & StatusParts;

export interface MaterialRow extends RequestRow, MaterialColumns {
  candidate: string | null;
}

export type AppRow = RequestRow & Pick<MaterialColumns, 'payload'> & BundleColumns;

export interface HitlRow extends RequestRow {
  receipt: string | null;
  candidate: string | null;
  /** Of a pending request only. */
  response_schema: string | null;
  cancelled_at: number | null;
}

const PARTS = `${recordText('l.receipt_id')} AS receipt, ${recordText('l.claim_id')} AS claim,
  ${recordText('l.outcome_id')} AS outcome, ${ANCHOR_COLUMN},
  coalesce((SELECT json_agg(json_build_object('id', x.id, 'kind', x.kind, 'state', x.state, 'attempts', x.attempts,
      'error', x.error) ORDER BY x.created_at DESC, x.id)
    FROM (SELECT * FROM delivery y WHERE y.tenant = $1 AND y.request_id = :request_id
      ORDER BY y.created_at DESC, y.id LIMIT 30) x)::text, '[]') AS deliveries`;

export const STATUS = statement(
  'request.status',
  `SELECT ${REQUEST_COLUMNS}, ${PARTS} ${REQUEST_JOINS} ${ANCHOR_JOIN} WHERE t.tenant = $1`,
  { pointQuery: true },
);

export const INTEGRAL = statement(
  'request.integral',
  `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY}, ${PARTS} ${REQUEST_JOINS} ${MATERIAL_JOIN} ${ANCHOR_JOIN}
    WHERE t.tenant = $1`,
);

const WITHDRAWN = ['decision', 'grant_state', 'invalidated', 'revision'] as const;
const WITHDRAWING = { records: 'any', answer: true, deadlines: true } as const;

// An unconfirmed candidate ends with the request.
export const WITHDRAW = stepStatement('request.withdraw', {
  ...WITHDRAWING,
  moves: WITHDRAWN,
  with: [
    `c AS (UPDATE candidate SET live = false FROM l WHERE candidate.tenant = $1 AND candidate.request_id = $3::uuid
      AND candidate.live AND :decision <> 'confirmed')`,
  ],
});

// With who discarded it, for the security log.
export const DISCARD = stepStatement('request.discard', {
  ...WITHDRAWING,
  moves: [...WITHDRAWN, 'private_delete_at', 'material_deleted'],
  with: [
    ...DISCARDING,
    `e AS (INSERT INTO security_event (tenant, kind, actor, actor_kind, request_id)
      SELECT $1, 'material.discarded', :actor::text, :actor_kind::text, $3::uuid FROM l)`,
  ],
});

/** The caller's own candidate for a human (R9). */
export const MATERIAL = sized('request.material', {
  material: ['payload', 'response_schema', 'review_document'],
  bundle: false,
  columns: ['c.candidate'],
  joins: shownCandidate('(:human::text IS NULL OR x.reviewer = :human)'),
});

export const APP = sized('request.app', { material: ['payload'], bundle: true });

// The end of a review is the first event with its current state; later ones, such as cancelling once more, repeat it. A
// retired namespace has no event of its own (protocol §11.9): its incident has the time.
export const HITL = statement(
  'request.hitl',
  `SELECT ${REQUEST_COLUMNS}, p.record AS receipt, c.candidate,
    CASE WHEN l.decision = 'pending' THEN m.response_schema END AS response_schema,
    CASE WHEN l.decision IN ('cancelled', 'superseded') THEN coalesce(
      (SELECT min(e.issued_at) FROM (
          SELECT x.issued_at, x.record FROM record x
          WHERE x.tenant = $1 AND x.request_id = :request_id AND x.type = 'RequestChangedEvent' ORDER BY x.id LIMIT 16
        ) e WHERE ${jsonOf('e.record')} #>> '{payload,state,decision}' = l.decision),
      (SELECT min(n.created_at) FROM incident n
        WHERE n.tenant = l.tenant AND n.code = 'namespace_retired' AND n.created_at >= l.accepted_at)
    ) END AS cancelled_at
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  ${keyed('record', 'p', 'x.id = l.receipt_id')}
  ${keyed(
    'candidate',
    'c',
    `x.request_id = :request_id AND x.reviewer = ${jsonOf('p.record')} -> 'payload' ->> 'reviewer'
      AND x.digest = ${jsonOf('p.record')} -> 'payload' ->> 'candidate_digest'`,
  )}
  WHERE t.tenant = $1`,
);

export class RequestStore {
  constructor(private readonly pool: Pool) {}

  async status(
    caller: CallerIdentity,
    id: string,
    operation = '',
    key: string | null = null,
  ): Promise<StatusRow | undefined> {
    return loadRequest(this.pool, STATUS, loadValues(caller, id, operation, key));
  }

  /** For a transition on a request: with its integrity, and the answer stored under the key. */
  async integral(
    caller: CallerIdentity,
    id: string,
    operation: string,
    key: string | null,
  ): Promise<StatusRow | undefined> {
    return loadRequest(this.pool, INTEGRAL, loadValues(caller, id, operation, key));
  }

  /** Not `whole`: without the large columns. */
  async material(
    caller: CallerIdentity,
    id: string,
    whole: boolean,
  ): Promise<MaterialRow | undefined> {
    const human = caller.kind === 'human' ? caller.id : null;
    return loadSized(this.pool, MATERIAL, whole, { ...loadValues(caller, id), human });
  }

  /** As {@link material}. */
  async app(caller: CallerIdentity, id: string, whole: boolean): Promise<AppRow | undefined> {
    return loadSized(this.pool, APP, whole, loadValues(caller, id));
  }

  async hitl(caller: CallerIdentity, id: string): Promise<HitlRow | undefined> {
    return loadRequest(this.pool, HITL, loadValues(caller, id));
  }
}
