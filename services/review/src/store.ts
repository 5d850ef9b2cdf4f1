import type pg from 'pg';
import {
  CONSEQUENCES,
  INTEGRITY_COLUMNS,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  saveTransition,
  transitValues,
  transitionSql,
} from '@countersign/database';
import type { CallerIdentity, RequestRow, Transit } from '@countersign/database';
import type { Digest, Assignment, DecisionCandidate, Lifecycle } from '@countersign/protocol';

export interface ReviewRow extends RequestRow {
  response_schema: string | null;
  /** Highest revision that the caller has frozen, 0 when none. */
  last_revision: number;
  candidate: string | null;
  candidate_digest: Digest;
  candidate_live: boolean | null;
  assignment_id: string | null;
  assignment_reviewer: string | null;
  assignment_expires_at: number | null;
}

const LOAD = {
  name: 'review.load',
  text: `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY_COLUMNS}, m.response_schema,
    coalesce(c.revision, 0) AS last_revision, c.candidate, c.digest AS candidate_digest, c.live AS candidate_live,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  LEFT JOIN assignment s ON s.tenant = l.tenant AND s.request_id = l.request_id
  LEFT JOIN LATERAL (
    SELECT * FROM candidate c WHERE c.tenant = l.tenant AND c.request_id = l.request_id AND c.reviewer = $3
    ORDER BY c.revision DESC LIMIT 1
  ) c ON true
  WHERE t.tenant = $1`,
};

const CONFIRM = {
  name: 'review.confirm',
  text: transitionSql({
    columns: ['decision', 'audit', 'grant_state', 'grant_deadline', 'receipt_id', 'revision'],
  }),
};

/** Holds the request as it was read, without moving it: $4 version, $5 time before which this must commit. */
const HELD = `WITH t AS (
  SELECT 1 FROM tenant WHERE tenant = $1 AND directory_revision = $2 FOR KEY SHARE
), l AS (
  SELECT l.request_id FROM lifecycle l, t WHERE l.tenant = $1 AND l.request_id = $3::uuid AND l.version = $4
    AND ($5::timestamptz IS NULL OR clock_timestamp() < $5) FOR SHARE OF l
)`;

const FREEZE = {
  name: 'review.propose',
  text: `${HELD}, ${CONSEQUENCES.trim()}, c AS (
    INSERT INTO candidate (tenant, request_id, reviewer, revision, id, digest, candidate, created_at)
    SELECT $1, $3::uuid, $12, $21::integer, $22::uuid, $23, $24, $25::timestamptz FROM l
  ) SELECT count(*)::integer AS saved FROM l`,
};

const ASSIGN = {
  name: 'review.assign',
  text: `${HELD}, ${CONSEQUENCES.trim()}, s AS (
    INSERT INTO assignment AS a (tenant, request_id, id, reviewer, expires_at)
    SELECT $1, $3::uuid, $21::uuid, $12, $22::timestamptz FROM l
    ON CONFLICT (tenant, request_id) DO UPDATE
    SET id = EXCLUDED.id, reviewer = EXCLUDED.reviewer, expires_at = EXCLUDED.expires_at
    WHERE a.id = EXCLUDED.id OR a.expires_at <= clock_timestamp()
    RETURNING 1
  ) SELECT (SELECT count(*) FROM s)::integer AS saved`,
};

export class ReviewStore {
  constructor(private readonly pool: pg.Pool) {}

  async load(
    caller: CallerIdentity,
    requestId: string,
    operation: string,
    key: string | null,
  ): Promise<ReviewRow | undefined> {
    const { rows } = await this.pool.query<ReviewRow>({
      ...LOAD,
      values: [caller.tenant, requestId, caller.id, operation, key],
    });
    return rows[0];
  }

  /** The receipt, the new state and the stored answer in one step. */
  async confirm(transit: Transit, next: Lifecycle, receiptId: string): Promise<void> {
    await saveTransition(this.pool, CONFIRM, [
      ...transitValues(transit),
      next.decision,
      next.audit,
      next.grant,
      next.grantDeadline === null ? null : new Date(next.grantDeadline),
      receiptId,
      next.revision,
    ]);
  }

  async freeze(transit: Transit, candidate: DecisionCandidate, digest: string, text: string) {
    await saveTransition(this.pool, FREEZE, [
      ...transitValues(transit),
      candidate.revision,
      candidate.id,
      digest,
      text,
      candidate.created_at,
    ]);
  }

  async assign(transit: Transit, assignment: Assignment): Promise<void> {
    await saveTransition(this.pool, ASSIGN, [
      ...transitValues(transit),
      assignment.id,
      assignment.expires_at,
    ]);
  }
}
