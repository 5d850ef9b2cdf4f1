import {
  INTEGRITY,
  MARKS,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  Recollection,
  SAVED_AND_MARK,
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
  /** Changes whenever anything writes the candidate. */
  candidate_mark: string | null;
  assignment_id: string | null;
  assignment_reviewer: string | null;
  assignment_expires_at: number | null;
}

const LOAD = {
  name: 'review.load',
  brief: true,
  text: `SELECT ${REQUEST_COLUMNS}, ${INTEGRITY}, ${MARKS}, m.response_schema,
    coalesce(c.revision, 0) AS last_revision, c.candidate, c.digest AS candidate_digest, c.live AS candidate_live,
    c.mark AS candidate_mark,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  ${REQUEST_JOINS} ${MATERIAL_JOIN}
  ${keyed('assignment', 's', 'x.request_id = $2')}
  LEFT JOIN LATERAL (
    SELECT c.*, c.xmin::text AS mark FROM candidate c WHERE c.tenant = $1 AND c.request_id = $2 AND c.reviewer = $3
    ORDER BY c.revision DESC LIMIT 1
  ) c ON true
  WHERE t.tenant = $1`,
};

const CONFIRM_COLUMNS = [
  ...['decision', 'audit', 'grant_state', 'grant_deadline', 'receipt_id', 'revision'],
];
const CONFIRM_FORM = stepForm({ records: 2, answer: true, deadlines: true, recalls: true });
const CONFIRM = transition(
  'review.confirm',
  {
    brief: true,
    columns: CONFIRM_COLUMNS,
    // A recalled candidate is still the reviewer's newest one, as it was.
    where: `(${CONFIRM_FORM.recalled?.marks}::text IS NULL OR ${CONFIRM_FORM.own(CONFIRM_COLUMNS.length)}::text = (
      SELECT c.xmin::text FROM candidate c WHERE c.tenant = $1 AND c.request_id = $3::uuid AND c.reviewer = ${CONFIRM_FORM.principal}
      ORDER BY c.revision DESC LIMIT 1))`,
  },
  CONFIRM_FORM,
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
  ) SELECT ${SAVED_AND_MARK} FROM l`,
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
  /** What a reviewer's proposal left behind, for their confirmation. */
  readonly #recollection = new Recollection<ReviewRow>();

  constructor(private readonly pool: Pool) {}

  recall(caller: CallerIdentity, requestId: string): ReviewRow | undefined {
    return this.#recollection.take(caller.tenant, requestId, caller.id);
  }

  async load(
    caller: CallerIdentity,
    requestId: string,
    operation: string,
    key: string | null,
  ): Promise<ReviewRow | undefined> {
    const values = [caller.tenant, requestId, caller.id, operation, key];
    const row = await loadRequest<ReviewRow>(this.pool, LOAD, values);
    if (row !== undefined) this.#recollection.noteTime(row.now);
    return row;
  }

  /** The receipt, the new state and the stored answer in one step. */
  async confirm(
    transit: Transit,
    next: Lifecycle,
    receiptId: string,
    candidateMark: string | null,
  ): Promise<void> {
    await saveTransition(this.pool, CONFIRM, transit, [
      next.decision,
      next.audit,
      next.grant,
      next.grantDeadline === null ? null : new Date(next.grantDeadline),
      receiptId,
      next.revision,
      candidateMark,
    ]);
  }

  /** `row`: what it was decided with. */
  async freeze(
    transit: Transit,
    row: ReviewRow,
    candidate: DecisionCandidate,
    digest: Digest,
    text: string,
  ): Promise<void> {
    const saved = await saveTransition(this.pool, FREEZE, transit, [
      candidate.revision,
      candidate.id,
      digest,
      text,
      candidate.created_at,
    ]);
    const left = {
      ...row,
      // The confirmation does not ask for it, and it may be long.
      response_schema: null,
      last_revision: candidate.revision,
      candidate: text,
      candidate_digest: digest,
      candidate_live: true,
      candidate_mark: saved.mark,
    };
    this.#recollection.keep(transit.tenant, candidate.reviewer, { row: left, saved });
  }

  async assign(transit: Transit, assignment: Assignment): Promise<void> {
    await saveTransition(this.pool, ASSIGN, transit, [assignment.id, assignment.expires_at]);
  }
}
