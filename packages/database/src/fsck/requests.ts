import type pg from 'pg';
import { textDigest } from '@countersign/protocol';
import type { DecisionRequest, ExecutionClaim, States } from '@countersign/protocol';
import { keyed, lifecycleOf } from '../request-row.js';
import type { LifecycleRow } from '../request-row.js';
import { recordIn } from './record-in.js';
import { isRetired, rebuild } from './rebuild.js';
import type { PlacedRecord, Rebuilt } from './rebuild.js';
import type { Findings } from './report.js';
import type { CheckedTenant } from './tenants.js';
import { faultsOfVotes, keptVotes } from './votes.js';
import type { KeptVotes } from './votes.js';

const BATCH = 500;
/** A proof has at most so many nodes (R17). */
const LONGEST_PROOF = 100;

interface Row extends LifecycleRow {
  request_id: string;
  owner: string;
  route: string;
  receipt_id: string | null;
  receipt_sequence: number | null;
  anchor_sequence: number | null;
  anchor_generation: string | null;
  accepted: boolean;
  approvals_needed: number | null;
  digest: string | null;
  canonical: string;
  has_material: boolean;
  payload_digest: string | null;
  response_schema_digest: string | null;
  document_digest: string | null;
  nonces: string[];
  occurrence: string | null;
  consumed_by: string | null;
  occurrence_request: string | null;
  identities: string[];
}

const SHA = (column: string) => `'sha256:' || encode(sha256(${column}), 'hex')`;

const REQUESTS = `SELECT l.*, r.purpose, r.digest, r.canonical, r.occurrence,
    coalesce(k.acceptance IS NOT NULL, false) AS accepted,
    m.request_id IS NOT NULL AS has_material,
    ${SHA(`convert_to(m.payload, 'UTF8')`)} AS payload_digest,
    ${SHA(`convert_to(m.response_schema, 'UTF8')`)} AS response_schema_digest,
    ${SHA('m.review_document')} AS document_digest,
    ARRAY(SELECT n.nonce FROM nonce n WHERE n.tenant = $1 AND n.request_id = l.request_id) AS nonces,
    o.consumed_by, o.request_id AS occurrence_request
  FROM (SELECT x.* FROM lifecycle x WHERE x.tenant = $1 AND x.request_id > $2 ORDER BY x.request_id LIMIT $3) l
  ${keyed('request', 'r', 'x.id = l.request_id')} ${keyed('material', 'm', 'x.request_id = l.request_id')}
  ${keyed('checkpoint', 'k', 'x.generation = l.anchor_generation AND x.sequence = l.anchor_sequence')}
  ${keyed('occurrence', 'o', 'x.owner = l.owner AND x.occurrence = r.occurrence')}
  ORDER BY l.request_id`;

const RECORDS = `SELECT k.id AS request_id, y.sequence, y.record_id AS id, r.record
  FROM unnest($2::uuid[]) AS k (id) CROSS JOIN LATERAL (
    SELECT e.sequence, e.record_id FROM ledger_entry e WHERE e.tenant = $1 AND e.request_id = k.id
  ) y ${keyed('record', 'r', 'x.id = y.record_id')} ORDER BY k.id, y.sequence`;

const WAITING = `SELECT o.request_id, NULL::bigint AS sequence, o.record_id AS id, r.record
  FROM outbox o ${keyed('record', 'r', 'x.id = o.record_id')}
  WHERE o.tenant = $1 AND o.request_id = ANY ($2::uuid[]) ORDER BY o.id`;

interface RecordRow {
  request_id: string;
  sequence: number | null;
  id: string;
  record: string | null;
}

const FIRST = '00000000-0000-0000-0000-000000000000';

/** Every request of a tenant: rebuilt from its records, compared with its rows. */
export async function walkRequests(
  client: pg.ClientBase,
  of: CheckedTenant,
  findings: Findings,
): Promise<void> {
  const { tenant } = of;
  for (let after = FIRST; ;) {
    const { rows } = await client.query<Row>({
      name: 'fsck.requests',
      text: REQUESTS,
      values: [tenant, after, BATCH],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    const ids = rows.map(({ request_id }) => request_id);
    const records = await recordsOf(client, tenant, ids);
    const votes = await keptVotes(client, tenant, rows);
    for (const row of rows) {
      const placed = records.get(row.request_id) ?? [];
      if (placed !== 'incomplete') {
        checkRequest(row, rebuild(placed), of, findings);
        checkVotes(row, placed, votes.get(row.request_id), of, findings);
      }
      checkContent(row, tenant, findings);
    }
    after = last.request_id;
    findings.counts.requests += rows.length;
    findings.advance(rows.length);
  }
}

/** By request; a request of which a text is gone or no record cannot be rebuilt, which was found with the chain. */
async function recordsOf(
  client: pg.ClientBase,
  tenant: string,
  ids: readonly string[],
): Promise<Map<string, PlacedRecord[] | 'incomplete'>> {
  const values = [tenant, ids];
  const chained = await client.query<RecordRow>({ name: 'fsck.records', text: RECORDS, values });
  const waiting = await client.query<RecordRow>({ name: 'fsck.waiting', text: WAITING, values });
  const found = new Map<string, PlacedRecord[] | 'incomplete'>();
  for (const { request_id, sequence, id, record: text } of [...chained.rows, ...waiting.rows]) {
    const record = text === null ? null : recordIn(text);
    const before = found.get(request_id) ?? [];
    if (record === null || before === 'incomplete') found.set(request_id, 'incomplete');
    else found.set(request_id, [...before, { id, sequence, record }]);
  }
  return found;
}

function checkRequest(
  row: Row,
  rebuilt: Rebuilt,
  { tenant, generation }: CheckedTenant,
  findings: Findings,
): void {
  const id = row.request_id;
  for (const fault of rebuilt.faults) findings.add(fault, tenant, id);
  findings.check(statesFit(row, rebuilt, generation), 'state_differs', tenant, id);
  findings.check(pointersFit(row, rebuilt), 'pointer_differs', tenant, id);
  findings.check(sameSet(row.nonces, rebuilt.nonces), 'nonce_differs', tenant, id);
  findings.check(occurrenceFits(row, rebuilt), 'occurrence_differs', tenant, id);
  const digest = rebuilt.receipt?.payload.request_digest ?? row.digest;
  findings.check(digest === row.digest, 'request_altered', tenant, id);
}

function checkVotes(
  row: Row,
  placed: readonly PlacedRecord[],
  kept: KeptVotes | undefined,
  { tenant }: CheckedTenant,
  findings: Findings,
): void {
  const request = requestIn(row);
  // A text that is not the request's own is found with its content.
  if (request === null || textDigest(row.canonical) !== row.digest) return;
  for (const fault of faultsOfVotes(request, placed, kept)) {
    findings.add(fault, tenant, row.request_id);
  }
}

function statesFit(row: Row, rebuilt: Rebuilt, generation: string): boolean {
  const { states } = rebuilt;
  if (states === null || row.revision !== rebuilt.revision) return false;
  const kept: States = {
    ...{ decision: row.decision, audit: row.audit },
    ...{ grant: row.grant_state, execution: row.execution },
  };
  const same = (['decision', 'audit', 'grant', 'execution'] as const).every(
    (machine) => kept[machine] === states[machine],
  );
  const recovered = requestIn(row)?.authority_namespace !== generation;
  const invalidated = row.invalidated !== null;
  const marked = rebuilt.withdrawn
    ? invalidated
    : !invalidated ||
      (recovered && row.invalidated === 'namespace_retired') ||
      // A recovery marks authority that ended with its material, whose deletion may be late.
      ((recovered || rebuilt.materialDiscarded) && row.invalidated === 'retention');
  return (
    (same || (recovered && isRetired({ ...lifecycleOf(row), ...states }, kept))) &&
    marked &&
    row.material_deleted === rebuilt.materialDiscarded &&
    row.admissions === rebuilt.nonces.length
  );
}

function pointersFit(row: Row, { receipt, claim, outcome }: Rebuilt): boolean {
  const { payload } = receipt ?? {};
  const deadline = payload?.purpose === 'authorise_execution' ? payload.grant_deadline : undefined;
  const anchored = row.audit === 'anchored';
  const [from, to] = [row.receipt_sequence, row.anchor_sequence];
  return (
    row.receipt_id === (receipt?.id ?? null) &&
    row.claim_id === (claim?.id ?? null) &&
    row.outcome_id === (outcome?.id ?? null) &&
    row.grant_deadline === (deadline === undefined ? null : Date.parse(deadline)) &&
    (anchored
      ? row.accepted &&
        from !== null &&
        to !== null &&
        from === receipt?.sequence &&
        to >= from &&
        to - from < LONGEST_PROOF
      : from === null && to === null)
  );
}

function occurrenceFits(row: Row, { claim }: Rebuilt): boolean {
  const own = row.occurrence_request === row.request_id;
  if (claim === null) return !own || row.consumed_by === null;
  const { action_occurrence_id } = claim.record.payload as unknown as ExecutionClaim;
  return own && row.consumed_by === claim.id && row.occurrence === action_occurrence_id;
}

/** The request and its private material against the digests that were signed over. */
function checkContent(row: Row, tenant: string, findings: Findings): void {
  const id = row.request_id;
  const request = requestIn(row);
  const intact =
    request !== null &&
    textDigest(row.canonical) === row.digest &&
    request.id === id &&
    request.tenant === tenant &&
    request.producer === row.owner &&
    request.route === row.route;
  if (!findings.check(intact, 'request_altered', tenant, id)) return;
  const { review } = request as DecisionRequest;
  const fits = row.has_material
    ? row.payload_digest === review.payload_digest &&
      row.response_schema_digest === review.response_schema_digest &&
      row.document_digest === review.document_digest
    : row.material_deleted;
  findings.check(fits && row.has_material !== row.material_deleted, 'material_differs', tenant, id);
}

function requestIn({ canonical }: Row): DecisionRequest | null {
  try {
    return JSON.parse(canonical) as DecisionRequest;
  } catch {
    return null;
  }
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const set = new Set(one);
  return one.length === other.length && other.every((value) => set.has(value));
}
