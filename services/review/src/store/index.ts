import {
  INTEGRITY,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  keyed,
  loadRequest,
  loadValues,
  statement,
  stepStatement,
} from '@countersign/database';
import type { CallerIdentity, Pool, RequestRow } from '@countersign/database';
import type { Digest } from '@countersign/protocol';

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

export const LOAD_REVIEW = statement(
  'review.load',
  `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY}, m.response_schema,
    coalesce(c.revision, 0) AS last_revision, c.candidate, c.digest AS candidate_digest, c.live AS candidate_live,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  ${keyed('assignment', 's', 'x.request_id = :request_id')}
  LEFT JOIN LATERAL (
    SELECT c.* FROM candidate c WHERE c.tenant = $1 AND c.request_id = :request_id AND c.reviewer = :caller
    ORDER BY c.revision DESC LIMIT 1
  ) c ON true
  WHERE t.tenant = $1`,
  { pointQuery: true },
);

/** The receipt, the new state and the stored answer. */
export const CONFIRM = stepStatement('review.confirm', {
  pointQuery: true,
  moves: ['decision', 'audit', 'grant_state', 'grant_deadline', 'revision'],
  sets: { receipt_id: ':evidence' },
  records: 2,
  answer: true,
  deadlines: true,
});

export const FREEZE = stepStatement('review.propose', {
  pointQuery: true,
  records: 0,
  answer: true,
  with: [
    `c AS (
    INSERT INTO candidate (tenant, request_id, reviewer, revision, id, digest, candidate, created_at)
    SELECT $1, $3::uuid, :principal, :revision::integer, :id::uuid, :digest, :candidate, :created_at::timestamptz FROM l
  )`,
  ],
});

export const ASSIGN = stepStatement('review.assign', {
  records: 0,
  answer: true,
  with: [
    `s AS (
    INSERT INTO assignment AS a (tenant, request_id, id, reviewer, expires_at)
    SELECT $1, $3::uuid, :id::uuid, :principal, :expires_at::timestamptz FROM l
    ON CONFLICT (tenant, request_id) DO UPDATE
    SET id = EXCLUDED.id, reviewer = EXCLUDED.reviewer, expires_at = EXCLUDED.expires_at
    WHERE a.id = EXCLUDED.id OR a.expires_at <= clock_timestamp()
    RETURNING 1
  )`,
  ],
  // Another reviewer's lease that has not ended stays, and nothing of the step does.
  check: `must((SELECT count(*) FROM s) = count(*), 'review_assigned')`,
});

export class ReviewStore {
  constructor(private readonly pool: Pool) {}

  async load(
    caller: CallerIdentity,
    requestId: string,
    operation: string,
    key: string | null,
  ): Promise<ReviewRow | undefined> {
    return loadRequest(this.pool, LOAD_REVIEW, loadValues(caller, requestId, operation, key));
  }
}
