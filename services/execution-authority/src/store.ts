import {
  ANCHOR_COLUMN,
  ANCHOR_JOIN,
  ANY_STEP,
  INTEGRITY,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  doneDeadlines,
  keyed,
  loadRequest,
  recordText,
  saveTransition,
  stepForm,
  transition,
  workerValues,
} from '@countersign/database';
import type { CallerIdentity, DueDeadline, Pool, RequestRow, Transit } from '@countersign/database';
import type { Digest, Lifecycle } from '@countersign/protocol';

export interface ClaimRow extends RequestRow {
  receipt: string | null;
  receipt_digest: Digest;
  /** Request that the occurrence belongs to, and the claim that consumed it. */
  occurrence_request: string | null;
  occurrence_consumed_by: string | null;
  identity_used: boolean;
}

export interface AdmissionRow extends RequestRow {
  receipt: string | null;
  claim: string | null;
  claim_digest: Digest;
  /** AnchorProof as canonical text. */
  anchor: string | null;
  nonce_used: boolean;
}

export interface OutcomeRow extends RequestRow {
  claim: string | null;
  claim_digest: Digest;
  outcome: string | null;
}

const STORED = `${REQUEST_COLUMNS}, ${INTEGRITY}`;
const FROM = `${REQUEST_JOINS} ${MATERIAL_JOIN}`;
const CLAIM_JOIN = keyed('record', 'c', 'x.id = l.claim_id');

const LOAD_CLAIM = {
  name: 'execution.load-claim',
  brief: true,
  text: `SELECT ${STORED}, p.record AS receipt, p.digest AS receipt_digest,
    o.request_id AS occurrence_request, o.consumed_by AS occurrence_consumed_by,
    EXISTS (SELECT 1 FROM execution_identity x WHERE x.tenant = $1 AND x.owner = l.owner AND x.identity = $6) AS identity_used
  ${FROM} ${keyed('record', 'p', 'x.id = l.receipt_id')}
  ${keyed('occurrence', 'o', 'x.owner = l.owner AND x.occurrence = r.occurrence')}
  WHERE t.tenant = $1`,
};

const LOAD_ADMISSION = {
  name: 'execution.load-admission',
  brief: true,
  text: `SELECT ${STORED}, ${recordText('l.receipt_id')} AS receipt, c.record AS claim, c.digest AS claim_digest, ${ANCHOR_COLUMN},
    EXISTS (SELECT 1 FROM nonce n WHERE n.tenant = $1 AND n.request_id = $2 AND n.nonce = $6) AS nonce_used
  ${FROM} ${CLAIM_JOIN} ${ANCHOR_JOIN}
  WHERE t.tenant = $1`,
};

const LOAD_OUTCOME = {
  name: 'execution.load-outcome',
  brief: true,
  text: `SELECT ${STORED}, c.record AS claim, c.digest AS claim_digest, ${recordText('l.outcome_id')} AS outcome
  ${FROM} ${CLAIM_JOIN}
  WHERE t.tenant = $1`,
};

const CLAIM_COLUMNS = ['grant_state', 'execution', 'claim_id', 'revision'];
const CLAIM_FORM = stepForm({ records: 2, answer: true, deadlines: true });
const ofClaim = (place: number) => CLAIM_FORM.own(CLAIM_COLUMNS.length + place);

// The occurrence must be there, be this request's and be unused: otherwise `must` undoes the whole statement.
const CLAIM = transition(
  'execution.claim',
  {
    brief: true,
    columns: CLAIM_COLUMNS,
    with: [
      `u AS (
        UPDATE occurrence SET consumed_by = ${CLAIM_FORM.own(2)}::uuid FROM l
        WHERE occurrence.tenant = $1 AND occurrence.owner = ${ofClaim(0)}
          AND occurrence.occurrence = ${ofClaim(1)}
          AND occurrence.request_id = $3::uuid AND occurrence.consumed_by IS NULL
        RETURNING 1
      )`,
      `x AS (
        INSERT INTO execution_identity (tenant, owner, identity, request_id)
        SELECT $1, ${ofClaim(0)}, ${ofClaim(2)}, $3::uuid FROM l
      )`,
    ],
    check: `must((SELECT count(*) FROM u) = count(*), 'occurrence_consumed')`,
  },
  CLAIM_FORM,
);

const ADMIT_FORM = stepForm({ records: 1, answer: false, deadlines: false });
const ADMIT = transition(
  'execution.admit',
  {
    brief: true,
    columns: ['execution', 'admissions', 'revision'],
    with: [
      `n AS (INSERT INTO nonce (tenant, request_id, nonce) SELECT $1, $3::uuid, ${ADMIT_FORM.own(3)} FROM l)`,
    ],
  },
  ADMIT_FORM,
);

const OUTCOME_FORM = stepForm({ records: 2, answer: true, deadlines: true });
const INCIDENT = OUTCOME_FORM.own(5);
const OUTCOME = transition(
  'execution.outcome',
  {
    brief: true,
    columns: ['grant_state', 'execution', 'outcome_id', 'private_delete_at', 'revision'],
    with: [
      // Resolved: there is nothing left to ask for.
      `s AS (DELETE FROM deadline USING l WHERE deadline.tenant = $1 AND deadline.request_id = $3::uuid
        AND deadline.kind IN ('reconciliation', 'reconciliation_end'))`,
      `q AS (
        INSERT INTO incident (tenant, id, code, request_id, created_at)
        SELECT $1, ${INCIDENT}::uuid, 'outcome_without_admission', $3::uuid, clock_timestamp() FROM l
        WHERE ${INCIDENT}::uuid IS NOT NULL
      )`,
    ],
  },
  OUTCOME_FORM,
);

const LOAD_DUE = {
  name: 'execution.load-due',
  text: `SELECT ${REQUEST_COLUMNS} ${REQUEST_JOINS} WHERE t.tenant = $1`,
};

// The first of the two times: told by an event and an incident; the second one takes its place.
const RECONCILIATION_DUE = transition('execution.reconciliation-due', {
  columns: ['revision'],
  with: [
    doneDeadlines(`ARRAY['reconciliation']`),
    `q AS (INSERT INTO incident (tenant, id, code, request_id, created_at)
      SELECT $1, ${ANY_STEP.own(1)}::uuid, 'reconciliation_due', $3::uuid, clock_timestamp() FROM l)`,
  ],
});

export class ExecutionStore {
  constructor(private readonly pool: Pool) {}

  async loadForClaim(
    caller: CallerIdentity,
    id: string,
    scope: string,
    key: string | null,
    identity: string,
  ) {
    const values = [caller.tenant, id, caller.id, scope, key, identity];
    return loadRequest<ClaimRow>(this.pool, LOAD_CLAIM, values);
  }

  async loadForAdmission(caller: CallerIdentity, id: string, nonce: string) {
    const values = [caller.tenant, id, caller.id, '', null, nonce];
    return loadRequest<AdmissionRow>(this.pool, LOAD_ADMISSION, values);
  }

  async loadForOutcome(caller: CallerIdentity, id: string, scope: string, key: string | null) {
    const values = [caller.tenant, id, caller.id, scope, key];
    return loadRequest<OutcomeRow>(this.pool, LOAD_OUTCOME, values);
  }

  async loadForWorker(item: DueDeadline) {
    return loadRequest<RequestRow>(this.pool, LOAD_DUE, workerValues(item));
  }

  /** `incidentId`: id of the incident to open. */
  async reconciliationDue(transit: Transit, next: Lifecycle, incidentId: string): Promise<void> {
    await saveTransition(this.pool, RECONCILIATION_DUE, transit, [next.revision, incidentId]);
  }

  /**
   * The second time, unless there is an outcome by now: the incident of the first becomes that of the second, or one is
   * opened. One statement; whoever comes second finds the deadline done.
   */
  async reconciliationOver(item: DueDeadline, incidentId: string): Promise<void> {
    await this.pool.of(item.tenant).query({
      name: 'execution.reconciliation-over',
      text: `WITH d AS (
          UPDATE deadline SET done_at = clock_timestamp()
          WHERE tenant = $1 AND request_id = $2::uuid AND kind = 'reconciliation_end' AND done_at IS NULL
            AND due <= clock_timestamp()
            AND EXISTS (SELECT 1 FROM lifecycle l WHERE l.tenant = $1 AND l.request_id = $2::uuid AND l.outcome_id IS NULL)
          RETURNING 1
        ), i AS (
          UPDATE incident SET code = 'reconciliation_overdue' FROM d
          WHERE incident.tenant = $1 AND incident.request_id = $2::uuid AND incident.code = 'reconciliation_due'
          RETURNING 1
        ) INSERT INTO incident (tenant, id, code, request_id, created_at)
          SELECT $1, $3::uuid, 'reconciliation_overdue', $2::uuid, clock_timestamp() FROM d WHERE NOT EXISTS (SELECT 1 FROM i)`,
      values: [item.tenant, item.requestId, incidentId],
    });
  }

  async claim(
    transit: Transit,
    next: Lifecycle,
    recordId: string,
    claim: { owner: string; occurrence: string; identity: string },
  ): Promise<void> {
    await saveTransition(this.pool, CLAIM, transit, [
      next.grant,
      next.execution,
      recordId,
      next.revision,
      claim.owner,
      claim.occurrence,
      claim.identity,
    ]);
  }

  async admit(transit: Transit, next: Lifecycle, nonce: string): Promise<void> {
    await saveTransition(this.pool, ADMIT, transit, [
      next.execution,
      next.admissions,
      next.revision,
      nonce,
    ]);
  }

  /** `incidentId`: id of the incident to open with the outcome, or null. */
  async recordOutcome(
    transit: Transit,
    next: Lifecycle,
    recordId: string,
    incidentId: string | null,
  ) {
    await saveTransition(this.pool, OUTCOME, transit, [
      next.grant,
      next.execution,
      recordId,
      new Date(next.privateDeleteAt),
      next.revision,
      incidentId,
    ]);
  }
}
