import { PROTOCOL_REVISION, Refusal, SUPPORTED_PROFILES, textDigest } from '@countersign/protocol';
import type { DecisionRequest, Digest, Lifecycle } from '@countersign/protocol';

/**
 * What every operation on a request loads in its one read: the tenant, the request with its integrity recomputed by
 * Postgres, the lifecycle row, and the answer already stored under the caller's key.
 * Parameters: $1 tenant, $2 request id, $3 principal, $4 operation, $5 key.
 */
export const REQUEST_COLUMNS = `
  floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
  t.directory_revision, t.generation, t.fenced, t.fence_reason, t.ledger_id,
  i.digest AS replay_digest, i.status AS replay_status, coalesce(i.result, ir.record) AS replay_result,
  l.request_id, l.owner, l.route, l.decision, l.audit, l.grant_state, l.execution, l.revision, l.version, l.invalidated,
  l.accepted_at, l.review_deadline, l.grant_deadline, l.private_delete_at, l.audit_delete_at, l.material_deleted,
  l.reminded_at, l.receipt_id, l.claim_id, l.outcome_id, l.admissions, l.receipt_sequence, l.anchor_sequence,
  r.purpose, r.digest, r.canonical`;

export const REQUEST_JOINS = `
  FROM tenant t
  LEFT JOIN idempotency i ON i.tenant = t.tenant AND i.principal = $3 AND i.operation = $4 AND i.key = $5
  LEFT JOIN record ir ON ir.tenant = i.tenant AND ir.id = i.record_id
  LEFT JOIN lifecycle l ON l.tenant = t.tenant AND l.request_id = $2
  LEFT JOIN request r ON r.tenant = l.tenant AND r.id = l.request_id`;

/** INT of contract §6.4: the digests of what is stored, recomputed where it is stored. */
export const INTEGRITY_COLUMNS = `
  'sha256:' || encode(sha256(convert_to(r.canonical, 'UTF8')), 'hex') AS actual_digest,
  'sha256:' || encode(sha256(convert_to(m.payload, 'UTF8')), 'hex') AS payload_digest,
  'sha256:' || encode(sha256(convert_to(m.response_schema, 'UTF8')), 'hex') AS response_schema_digest,
  'sha256:' || encode(sha256(convert_to(m.review_document, 'UTF8')), 'hex') AS document_digest`;

export const MATERIAL_JOIN = `
  LEFT JOIN material m ON m.tenant = l.tenant AND m.request_id = l.request_id`;

/**
 * The AnchorProof (contract §3.6) as canonical text, built from the chain: at most 100 nodes, so it is not stored twice.
 * Needs the checkpoint `k` of {@link ANCHOR_JOIN}.
 */
export const ANCHOR_COLUMN = `
  CASE WHEN k.acceptance IS NULL THEN NULL ELSE
    '{"acceptance":' || k.acceptance || ',"checkpoint":' || k.record || ',"proof":[' || (
      SELECT string_agg('{"head":"' || e.head || '","previous_head":"' || e.previous_head || '","record_digest":"'
        || e.record_digest || '","sequence":' || e.sequence || '}', ',' ORDER BY e.sequence)
      FROM ledger_entry e
      WHERE e.tenant = l.tenant AND e.sequence BETWEEN l.receipt_sequence AND l.anchor_sequence
    ) || ']}' END AS anchor`;

export const ANCHOR_JOIN = `
  LEFT JOIN checkpoint k ON k.tenant = l.tenant AND k.generation = l.anchor_generation AND k.sequence = l.anchor_sequence`;

/** A row of {@link REQUEST_COLUMNS}; everything from `request_id` on is null when there is no such request. */
export interface RequestRow {
  now: number;
  directory_revision: number;
  generation: string;
  fenced: boolean;
  fence_reason: string | null;
  ledger_id: string;
  replay_digest: string | null;
  replay_status: number | null;
  replay_result: string | null;
  request_id: string | null;
  owner: string;
  route: string;
  decision: Lifecycle['decision'];
  audit: Lifecycle['audit'];
  grant_state: Lifecycle['grant'];
  execution: Lifecycle['execution'];
  revision: number;
  version: number;
  invalidated: Lifecycle['invalidated'];
  accepted_at: number;
  review_deadline: number;
  grant_deadline: number | null;
  private_delete_at: number;
  audit_delete_at: number;
  material_deleted: boolean;
  reminded_at: number | null;
  receipt_id: string | null;
  claim_id: string | null;
  outcome_id: string | null;
  admissions: number;
  receipt_sequence: number | null;
  anchor_sequence: number | null;
  purpose: Lifecycle['purpose'];
  digest: Digest;
  canonical: string;
  actual_digest?: string | null;
  payload_digest?: string | null;
  response_schema_digest?: string | null;
  document_digest?: string | null;
}

export interface StoredRequest {
  readonly id: string;
  readonly owner: string;
  readonly route: string;
  readonly digest: Digest;
  readonly canonical: string;
  readonly request: DecisionRequest;
  readonly lifecycle: Lifecycle;
  readonly version: number;
  readonly row: RequestRow;
}

/** The request of a loaded row, or null when there is none. */
export function storedRequest(row: RequestRow): StoredRequest | null {
  if (row.request_id === null) return null;
  return {
    id: row.request_id,
    owner: row.owner,
    route: row.route,
    digest: row.digest,
    canonical: row.canonical,
    request: JSON.parse(row.canonical) as DecisionRequest,
    lifecycle: lifecycleOf(row),
    version: row.version,
    row,
  };
}

export function lifecycleOf(row: RequestRow): Lifecycle {
  return {
    purpose: row.purpose,
    decision: row.decision,
    audit: row.audit,
    grant: row.grant_state,
    execution: row.execution,
    revision: row.revision,
    invalidated: row.invalidated,
    reviewDeadline: row.review_deadline,
    grantDeadline: row.grant_deadline,
    privateDeleteAt: row.private_delete_at,
    materialDeleted: row.material_deleted,
    remindedAt: row.reminded_at,
    claimed: row.claim_id !== null,
    outcomeRecorded: row.outcome_id !== null,
    admissions: row.admissions,
  };
}

/**
 * INT of contract §6.4 over a row loaded with {@link INTEGRITY_COLUMNS}; throws `unsupported_revision`,
 * `unsupported_profile`, `agent_ui_profile_required` or `material_integrity_mismatch`, each 409.
 */
export function requireIntegrity(stored: StoredRequest, tenant: string): void {
  requireRequestIntegrity(stored, tenant);
  const { request, row } = stored;
  if (row.material_deleted) return;
  const same =
    row.payload_digest === request.review.payload_digest &&
    row.response_schema_digest === request.review.response_schema_digest &&
    row.document_digest === request.review.document_digest;
  if (!same) throw new Refusal('material_integrity_mismatch');
}

/** INT for a service that may not read material: revision, profiles and the request's own digest. */
export function requireRequestIntegrity(stored: StoredRequest, tenant: string): void {
  const { request, row } = stored;
  const supported: Readonly<Record<string, string>> = SUPPORTED_PROFILES;
  if (request.protocol_revision !== PROTOCOL_REVISION)
    throw new Refusal('unsupported_revision', { status: 409 });
  for (const [name, version] of Object.entries(request.profiles)) {
    if (supported[name] !== version) throw new Refusal('unsupported_profile', { status: 409 });
  }
  if (request.review.bundle !== undefined && request.profiles['proto.agent-ui'] !== '2') {
    throw new Refusal('agent_ui_profile_required', { status: 409 });
  }
  const same =
    request.id === stored.id &&
    request.tenant === tenant &&
    request.producer === stored.owner &&
    request.route === stored.route &&
    row.actual_digest === stored.digest;
  if (!same) throw new Refusal('material_integrity_mismatch');
}

/** A key's stored answer (R5): the same status and bytes for the same body, a conflict for another. */
export function storedAnswer(
  row: Pick<RequestRow, 'replay_digest' | 'replay_status' | 'replay_result'>,
  bodyText: string,
): { status: number; body: string } | null {
  if (row.replay_digest === null) return null;
  if (row.replay_digest !== textDigest(bodyText)) throw new Refusal('idempotency_conflict');
  if (row.replay_result === null) throw new Refusal('idempotent_result_expired');
  return { status: row.replay_status ?? 200, body: row.replay_result };
}
