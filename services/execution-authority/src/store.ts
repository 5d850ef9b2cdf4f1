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

const RECEIPT_JOIN = `LEFT JOIN record p ON p.tenant = l.tenant AND p.id = l.receipt_id`;
const CLAIM_JOIN = `LEFT JOIN record c ON c.tenant = l.tenant AND c.id = l.claim_id`;
const STORED = `${REQUEST_COLUMNS}, ${INTEGRITY_COLUMNS}`;
const FROM = `${REQUEST_JOINS} ${MATERIAL_JOIN}`;

const LOAD_CLAIM = {
  name: 'execution.load-claim',
  text: `SELECT ${STORED}, p.record AS receipt, p.digest AS receipt_digest,
    o.request_id AS occurrence_request, o.consumed_by AS occurrence_consumed_by,
    EXISTS (SELECT 1 FROM execution_identity x WHERE x.tenant = $1 AND x.owner = l.owner AND x.identity = $6) AS identity_used
  ${FROM} ${RECEIPT_JOIN}
  LEFT JOIN occurrence o ON o.tenant = l.tenant AND o.owner = l.owner
    AND o.occurrence = r.occurrence
  WHERE t.tenant = $1`,
};

const LOAD_ADMISSION = {
  name: 'execution.load-admission',
  text: `SELECT ${STORED}, p.record AS receipt, c.record AS claim, c.digest AS claim_digest, ${ANCHOR_COLUMN},
    EXISTS (SELECT 1 FROM nonce n WHERE n.tenant = $1 AND n.request_id = $2 AND n.nonce = $6) AS nonce_used
  ${FROM} ${RECEIPT_JOIN} ${CLAIM_JOIN} ${ANCHOR_JOIN}
  WHERE t.tenant = $1`,
};

const LOAD_OUTCOME = {
  name: 'execution.load-outcome',
  text: `SELECT ${STORED}, c.record AS claim, c.digest AS claim_digest, u.record AS outcome
  ${FROM} ${CLAIM_JOIN}
  LEFT JOIN record u ON u.tenant = l.tenant AND u.id = l.outcome_id
  WHERE t.tenant = $1`,
};

const CLAIM_COLUMNS = ['grant_state', 'execution', 'claim_id', 'revision'];
const afterClaimColumns = FIRST_OWN_PARAMETER + CLAIM_COLUMNS.length;

// The occurrence must be there, be this request's and be unused: otherwise `must` undoes the whole statement.
const CLAIM = {
  name: 'execution.claim',
  text: transitionSql({
    columns: CLAIM_COLUMNS,
    with: [
      `u AS (
        UPDATE occurrence SET consumed_by = $${FIRST_OWN_PARAMETER + 2}::uuid FROM l
        WHERE occurrence.tenant = $1 AND occurrence.owner = $${afterClaimColumns}
          AND occurrence.occurrence = $${afterClaimColumns + 1}
          AND occurrence.request_id = $3::uuid AND occurrence.consumed_by IS NULL
        RETURNING 1
      )`,
      `x AS (
        INSERT INTO execution_identity (tenant, owner, identity, request_id)
        SELECT $1, $${afterClaimColumns}, $${afterClaimColumns + 2}, $3::uuid FROM l
      )`,
    ],
    check: `must((SELECT count(*) FROM u) = count(*), 'occurrence_consumed')`,
  }),
};

const ADMIT = {
  name: 'execution.admit',
  text: transitionSql({
    columns: ['execution', 'admissions', 'revision'],
    with: [
      `n AS (INSERT INTO nonce (tenant, request_id, nonce) SELECT $1, $3::uuid, $${FIRST_OWN_PARAMETER + 3} FROM l)`,
    ],
  }),
};

const OUTCOME = {
  name: 'execution.outcome',
  text: transitionSql({
    columns: ['grant_state', 'execution', 'outcome_id', 'private_delete_at', 'revision'],
    with: [
      // Resolved: there is nothing left to ask for.
      `s AS (DELETE FROM deadline USING l WHERE deadline.tenant = $1 AND deadline.request_id = $3::uuid
        AND deadline.kind = 'reconciliation')`,
      `q AS (
        INSERT INTO incident (tenant, id, code, request_id, created_at)
        SELECT $1, $${FIRST_OWN_PARAMETER + 5}::uuid, 'outcome_without_admission', $3::uuid, clock_timestamp() FROM l
        WHERE $${FIRST_OWN_PARAMETER + 5}::uuid IS NOT NULL
      )`,
    ],
  }),
};

export class ExecutionStore {
  constructor(private readonly pool: pg.Pool) {}

  async loadForClaim(
    caller: CallerIdentity,
    id: string,
    scope: string,
    key: string | null,
    identity: string,
  ) {
    return this.#load<ClaimRow>(LOAD_CLAIM, [caller.tenant, id, caller.id, scope, key, identity]);
  }

  async loadForAdmission(caller: CallerIdentity, id: string, nonce: string) {
    return this.#load<AdmissionRow>(LOAD_ADMISSION, [
      caller.tenant,
      id,
      caller.id,
      '',
      null,
      nonce,
    ]);
  }

  async loadForOutcome(caller: CallerIdentity, id: string, scope: string, key: string | null) {
    return this.#load<OutcomeRow>(LOAD_OUTCOME, [caller.tenant, id, caller.id, scope, key]);
  }

  async claim(
    transit: Transit,
    next: Lifecycle,
    claim: { recordId: string; owner: string; occurrence: string; identity: string },
  ): Promise<void> {
    await saveTransition(this.pool, CLAIM, [
      ...transitValues(transit),
      next.grant,
      next.execution,
      claim.recordId,
      next.revision,
      claim.owner,
      claim.occurrence,
      claim.identity,
    ]);
  }

  async admit(transit: Transit, next: Lifecycle, nonce: string): Promise<void> {
    await saveTransition(this.pool, ADMIT, [
      ...transitValues(transit),
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
    await saveTransition(this.pool, OUTCOME, [
      ...transitValues(transit),
      next.grant,
      next.execution,
      recordId,
      new Date(next.privateDeleteAt),
      next.revision,
      incidentId,
    ]);
  }

  async #load<T extends RequestRow>(
    statement: { name: string; text: string },
    values: unknown[],
  ): Promise<T | undefined> {
    const { rows } = await this.pool.query<T>({ ...statement, values });
    return rows[0];
  }
}
