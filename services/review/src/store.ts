import {
  INTEGRITY,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  keyed,
  loadRequest,
  saveTransition,
  stepForm,
  transition,
} from '@countersign/database';
import type {
  CallerIdentity,
  Pool,
  RequestRow,
  StepStatement,
  Transit,
} from '@countersign/database';
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
  brief: true,
  text: `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY}, m.response_schema,
    coalesce(c.revision, 0) AS last_revision, c.candidate, c.digest AS candidate_digest, c.live AS candidate_live,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  ${keyed('assignment', 's', 'x.request_id = $2')}
  LEFT JOIN LATERAL (
    SELECT c.* FROM candidate c WHERE c.tenant = $1 AND c.request_id = $2 AND c.reviewer = $3
    ORDER BY c.revision DESC LIMIT 1
  ) c ON true
  WHERE t.tenant = $1`,
};

const CONFIRM = transition(
  'review.confirm',
  {
    brief: true,
    columns: ['decision', 'audit', 'grant_state', 'grant_deadline', 'receipt_id', 'revision'],
  },
  stepForm({ records: 2, answer: true, deadlines: true }),
);

const NOTHING_SIGNED = stepForm({ records: 0, answer: true, deadlines: false });
const { own, principal } = NOTHING_SIGNED;

/** Holds the request as it was read, without moving it: $4 version, $5 time before which this must commit. */
const HELD = `WITH t AS (
  SELECT 1 FROM tenant WHERE tenant = $1 AND directory_revision = $2 FOR KEY SHARE
), l AS (
  SELECT l.request_id FROM lifecycle l, t WHERE l.tenant = $1 AND l.request_id = $3::uuid AND l.version = $4
    AND ($5::timestamptz IS NULL OR clock_timestamp() < $5) FOR SHARE OF l
)`;

const FREEZE: StepStatement = {
  name: 'review.propose',
  brief: true,
  form: NOTHING_SIGNED,
  text: `${HELD}, ${NOTHING_SIGNED.consequences()}, c AS (
    INSERT INTO candidate (tenant, request_id, reviewer, revision, id, digest, candidate, created_at)
    SELECT $1, $3::uuid, ${principal}, ${own(0)}::integer, ${own(1)}::uuid, ${own(2)}, ${own(3)}, ${own(4)}::timestamptz FROM l
  ) SELECT count(*)::integer AS saved FROM l`,
};

const ASSIGN: StepStatement = {
  name: 'review.assign',
  form: NOTHING_SIGNED,
  text: `${HELD}, ${NOTHING_SIGNED.consequences()}, s AS (
    INSERT INTO assignment AS a (tenant, request_id, id, reviewer, expires_at)
    SELECT $1, $3::uuid, ${own(0)}::uuid, ${principal}, ${own(1)}::timestamptz FROM l
    ON CONFLICT (tenant, request_id) DO UPDATE
    SET id = EXCLUDED.id, reviewer = EXCLUDED.reviewer, expires_at = EXCLUDED.expires_at
    WHERE a.id = EXCLUDED.id OR a.expires_at <= clock_timestamp()
    RETURNING 1
  ) SELECT (SELECT count(*) FROM s)::integer AS saved`,
};

export class ReviewStore {
  constructor(private readonly pool: Pool) {}

  async load(
    caller: CallerIdentity,
    requestId: string,
    operation: string,
    key: string | null,
  ): Promise<ReviewRow | undefined> {
    const values = [caller.tenant, requestId, caller.id, operation, key];
    return loadRequest<ReviewRow>(this.pool, LOAD, values);
  }

  /** The receipt, the new state and the stored answer in one step. */
  async confirm(transit: Transit, next: Lifecycle, receiptId: string): Promise<void> {
    await saveTransition(this.pool, CONFIRM, transit, [
      next.decision,
      next.audit,
      next.grant,
      next.grantDeadline === null ? null : new Date(next.grantDeadline),
      receiptId,
      next.revision,
    ]);
  }

  async freeze(
    transit: Transit,
    candidate: DecisionCandidate,
    digest: Digest,
    text: string,
  ): Promise<void> {
    await saveTransition(this.pool, FREEZE, transit, [
      candidate.revision,
      candidate.id,
      digest,
      text,
      candidate.created_at,
    ]);
  }

  async assign(transit: Transit, assignment: Assignment): Promise<void> {
    await saveTransition(this.pool, ASSIGN, transit, [assignment.id, assignment.expires_at]);
  }
}
