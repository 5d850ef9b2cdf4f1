import {
  ANCHOR_COLUMN,
  ANCHOR_JOIN,
  INTEGRITY,
  MATERIAL_JOIN,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  ask,
  keyed,
  loadRequest,
  loadValues,
  openIncident,
  recordText,
  replaceIncident,
  settleDeadlines,
  statement,
  stepStatement,
  workerValues,
} from '@countersign/database';
import type { CallerIdentity, DueDeadline, Pool, RequestRow } from '@countersign/database';
import type { Digest, IncidentCode, JsonText, SignedRecord } from '@countersign/protocol';

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
  /** The admission that a try of the same call got already, as canonical text. */
  admitted: JsonText<SignedRecord> | null;
}

export interface OutcomeRow extends RequestRow {
  claim: string | null;
  claim_digest: Digest;
  outcome: string | null;
}

const STORED = `${REQUEST_COLUMNS}, ${INTEGRITY}`;
const FROM = `${REQUEST_JOINS} ${MATERIAL_JOIN}`;
const CLAIM_JOIN = keyed('record', 'c', 'x.id = l.claim_id');

export const LOAD_CLAIM = statement(
  'execution.load-claim',
  `SELECT ${STORED}, p.record AS receipt, p.digest AS receipt_digest,
    o.request_id AS occurrence_request, o.consumed_by AS occurrence_consumed_by,
    EXISTS (SELECT 1 FROM execution_identity x WHERE x.tenant = $1 AND x.owner = l.owner AND x.identity = :identity) AS identity_used
  ${FROM} ${keyed('record', 'p', 'x.id = l.receipt_id')}
  ${keyed('occurrence', 'o', 'x.owner = l.owner AND x.occurrence = r.occurrence')}
  WHERE t.tenant = $1`,
  { pointQuery: true },
);

export const LOAD_ADMISSION = statement(
  'execution.load-admission',
  `SELECT ${STORED}, ${recordText('l.receipt_id')} AS receipt, c.record AS claim, c.digest AS claim_digest, ${ANCHOR_COLUMN},
    n.nonce IS NOT NULL AS nonce_used, CASE WHEN n.call = :call::uuid THEN ${recordText('n.record_id')} END AS admitted
  ${FROM} ${CLAIM_JOIN} ${ANCHOR_JOIN} ${keyed('nonce', 'n', 'x.request_id = :request_id AND x.nonce = :nonce')}
  WHERE t.tenant = $1`,
  { pointQuery: true },
);

export const LOAD_OUTCOME = statement(
  'execution.load-outcome',
  `SELECT ${STORED}, c.record AS claim, c.digest AS claim_digest, ${recordText('l.outcome_id')} AS outcome
  ${FROM} ${CLAIM_JOIN}
  WHERE t.tenant = $1`,
  { pointQuery: true },
);

// The occurrence must be there, be this request's and be unused: otherwise `must` undoes the whole statement.
export const CLAIM = stepStatement('execution.claim', {
  pointQuery: true,
  moves: ['grant_state', 'execution', 'revision'],
  sets: { claim_id: ':evidence' },
  records: 2,
  answer: true,
  deadlines: true,
  with: [
    `u AS (
    UPDATE occurrence SET consumed_by = :evidence::uuid FROM l
    WHERE occurrence.tenant = $1 AND occurrence.owner = :owner AND occurrence.occurrence = :occurrence
      AND occurrence.request_id = $3::uuid AND occurrence.consumed_by IS NULL
    RETURNING 1
  )`,
    `x AS (
    INSERT INTO execution_identity (tenant, owner, identity, request_id) SELECT $1, :owner, :identity, $3::uuid FROM l
  )`,
  ],
  check: `must((SELECT count(*) FROM u) = count(*), 'occurrence_consumed')`,
});

export const ADMIT = stepStatement('execution.admit', {
  pointQuery: true,
  moves: ['execution', 'admissions', 'revision'],
  records: 1,
  with: [
    `n AS (
    INSERT INTO nonce (tenant, request_id, nonce, call, record_id)
    SELECT $1, $3::uuid, :nonce, :call::uuid, :evidence::uuid FROM l
  )`,
  ],
});

export const OUTCOME = stepStatement('execution.outcome', {
  pointQuery: true,
  moves: ['grant_state', 'execution', 'private_delete_at', 'revision'],
  sets: { outcome_id: ':evidence' },
  records: 2,
  answer: true,
  deadlines: true,
  // Resolved: there is nothing left to ask for.
  drops: ['reconciliation', 'reconciliation_end'],
  incidents: true,
});

// Nothing is left to do of a deadline that is done: the state cannot tell (`reconciliationDue`), and a job may come twice.
export const LOAD_DUE = statement(
  'execution.load-due',
  `SELECT ${REQUEST_COLUMNS} ${REQUEST_JOINS} ${keyed('deadline', 'd', 'x.request_id = :request_id::uuid AND x.kind = :kind AND x.done_at IS NULL')}
  WHERE t.tenant = $1 AND d.kind IS NOT NULL`,
);

// The first of the two times, with an event and an incident; the second one takes its place.
export const RECONCILIATION_DUE = stepStatement('execution.reconciliation-due', {
  moves: ['revision'],
  records: 'any',
  deadlines: true,
  settles: true,
  incidents: true,
});

const REQUEST = ':request_id::uuid';

// The second time, unless there is an outcome by now: the incident of the first becomes that of the second, or one is opened.
export const RECONCILIATION_OVER = statement(
  'execution.reconciliation-over',
  `WITH d AS (
    ${settleDeadlines({
      request: REQUEST,
      kind: "'reconciliation_end'",
      and: `deadline.due <= clock_timestamp()
      AND EXISTS (SELECT 1 FROM lifecycle l WHERE l.tenant = $1 AND l.request_id = ${REQUEST} AND l.outcome_id IS NULL)`,
    })}
    RETURNING 1
  ), i AS (
    ${replaceIncident({ code: "'reconciliation_due'", by: ':code', request: REQUEST, from: 'd' })}
  ) ${openIncident({ code: ':code', request: REQUEST, from: 'd WHERE NOT EXISTS (SELECT 1 FROM i)' })}`,
);

export class ExecutionStore {
  constructor(private readonly pool: Pool) {}

  async loadForClaim(
    caller: CallerIdentity,
    id: string,
    scope: string,
    key: string | null,
    identity: string,
  ) {
    const values = { ...loadValues(caller, id, scope, key), identity };
    return loadRequest<ClaimRow>(this.pool, LOAD_CLAIM, values);
  }

  async loadForAdmission(caller: CallerIdentity, id: string, nonce: string, call: string | null) {
    const values = { ...loadValues(caller, id), nonce, call };
    return loadRequest<AdmissionRow>(this.pool, LOAD_ADMISSION, values);
  }

  async loadForOutcome(caller: CallerIdentity, id: string, scope: string, key: string | null) {
    return loadRequest<OutcomeRow>(this.pool, LOAD_OUTCOME, loadValues(caller, id, scope, key));
  }

  async loadForWorker(item: DueDeadline) {
    return loadRequest<RequestRow>(this.pool, LOAD_DUE, { ...workerValues(item), kind: item.kind });
  }

  /** Of two workers at once, the second one finds the deadline done. */
  async reconciliationOver({ tenant, requestId }: DueDeadline, code: IncidentCode): Promise<void> {
    await ask(this.pool, RECONCILIATION_OVER, { tenant, request_id: requestId, code });
  }
}
