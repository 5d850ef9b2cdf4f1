import { LARGE_BYTES, PROTOCOL_REVISION, Refusal, SUPPORTED_PROFILES } from '@countersign/protocol';
import type { DecisionRequest, Digest, Lifecycle } from '@countersign/protocol';
import { bodyDigest } from './given-body.js';
import type { GivenBody } from './given-body.js';
import { ask } from './pool.js';
import type { Pool } from './pool.js';
import { statement, valuesFor } from './statement.js';
import type { Statement, Values } from './statement.js';

/**
 * A row by its key, joined. `LIMIT` makes Postgres look the key up: a plain join, planned before the tables were ever
 * analysed, may read all rows of the tenant for each call instead. `condition` names the table's columns with `x.`.
 */
export function keyed(table: string, alias: string, condition: string): string {
  return `
  LEFT JOIN LATERAL (SELECT x.* FROM ${table} x WHERE x.tenant = $1 AND ${condition} LIMIT 1) ${alias} ON true`;
}

/**
 * Where the rows of a key lie, joined as `alias.at`, for an UPDATE or DELETE that has its keys from another table: `WHERE
 * ${table}.ctid = ${alias}.at`. For the reason of {@link keyed}. It depends on the version of Postgres whether a row that another
 * statement updates meanwhile is left out: take it for rows that no other statement updates, whose number is compared, or that a
 * later sweep takes.
 */
export function placed(table: string, alias: string, condition: string): string {
  return `
  CROSS JOIN LATERAL (SELECT x.ctid AS at FROM ${table} x WHERE x.tenant = $1 AND ${condition} OFFSET 0) ${alias}`;
}

/**
 * Canonical text as JSON that Postgres can take apart: it keeps no U+0000, which the text may spell as an escape. Where
 * the text has a backslash and `u0000` instead, escaped itself, the replacement leaves it well formed too.
 */
export function jsonOf(text: string): string {
  return `replace(${text}, '\\u0000', '\\ufffd')::jsonb`;
}

/** A record's text by its id: a column. */
export function recordText(id: string): string {
  return `(SELECT x.record FROM record x WHERE x.tenant = $1 AND x.id = ${id})`;
}

/** The answer stored under a key, as one column `replay`: digest of the body, status, answer. */
export function replayColumn(principal: string, operation: string, key: string): string {
  return `(SELECT json_build_array(i.digest, i.status, coalesce(i.result, ${recordText('i.record_id')}))::text
    FROM idempotency i WHERE i.tenant = $1 AND i.principal = ${principal} AND i.operation = ${operation} AND i.key = ${key}
  ) AS replay`;
}

/** Fenced, or not compared with the anchor store since the database server started: both close admission (R18). */
const FENCED = `(t.fenced OR coalesce(t.compared_at < pg_postmaster_start_time(), true))`;

/** The database's clock, epoch milliseconds. */
export const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::float8';
/** The same as a time, asked once a statement: to a clock that may tell each row another time Postgres cannot walk an index. */
export const CLOCK = '(SELECT clock_timestamp())';

/**
 * The columns that every operation on a request loads in its one read: the tenant, the request with its integrity
 * recomputed by Postgres, the lifecycle row, and the answer already stored under the caller's key. Few columns, because
 * each costs the client in every answer: the lifecycle row comes as JSON. Read with {@link loadRequest}, by
 * {@link loadValues}.
 */
export const REQUEST_COLUMNS = `
  ${NOW} AS now,
  t.directory_revision, t.generation, ${FENCED} AS fenced, t.fence_reason, t.ledger_id,
  ${replayColumn(':caller', ':operation', ':key')},
  row_to_json(l)::text AS lifecycle, r.purpose, r.digest, r.canonical`;

export const REQUEST_JOINS = `
  FROM tenant t ${keyed('lifecycle', 'l', 'x.request_id = :request_id')} ${keyed('request', 'r', 'x.id = :request_id')}`;

const HEX_DIGEST = (column: string) => `encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`;

/** INT of protocol §6.4, without material: the digest of the stored request, recomputed where it is stored. */
export const REQUEST_INTEGRITY = `${HEX_DIGEST('r.canonical')} AS digests`;

const MATERIAL_DIGESTS = `coalesce(${HEX_DIGEST('m.payload')} || ${HEX_DIGEST('m.response_schema')}
  || encode(sha256(m.review_document), 'hex'), '')`;
const REQUEST_DIGEST = HEX_DIGEST('r.canonical');

/** INT of protocol §6.4: request, payload, response schema and document; as {@link REQUEST_INTEGRITY} without material. */
export const WHOLE_DIGESTS = `${REQUEST_DIGEST} || ${MATERIAL_DIGESTS}`;

/** Of the stored material; Postgres knows it without reading the value. */
const MATERIAL_BYTES =
  'octet_length(m.payload) + octet_length(m.response_schema) + octet_length(m.review_document)';

/** Whether material, and the `bytes` beside it, is over `LARGE_BYTES`. */
export const isLarge = (bytes = '0') =>
  `coalesce(${MATERIAL_BYTES} + ${bytes} > ${LARGE_BYTES}, false)`;

/** As {@link WHOLE_DIGESTS}, but without material that {@link isLarge}: {@link loadRequest} asks for its digests apart. */
const SMALL_DIGESTS = (large: string) =>
  `${REQUEST_DIGEST} || CASE WHEN ${large} THEN '' ELSE ${MATERIAL_DIGESTS} END AS digests`;
export const INTEGRITY = `${SMALL_DIGESTS(isLarge())}, ${isLarge()} AS large_digests`;

/** For a read without the large values. */
export const SMALL_INTEGRITY = (large: string) => `${SMALL_DIGESTS(large)}, ${large} AS is_large`;

/**
 * The callers who may see the request (protocol §1, R1, R2), as the service decides it again: for others Postgres does not
 * read up to 20 MB, so the response time reveals nothing.
 */
const SEEN_BY_CALLER = `(l.owner = :caller
  OR EXISTS (SELECT 1 FROM route_reviewer v WHERE v.tenant = $1 AND v.reviewer = :caller AND v.route = l.route)
  OR EXISTS (SELECT 1 FROM principal p WHERE p.tenant = $1 AND p.id = :caller
    AND (p.kind = 'operator' OR p.config -> 'operator' = 'true'::jsonb)))`;

/** Material, for callers of whom `seen` is true. */
export const materialJoin = (seen: string) =>
  keyed('material', 'm', `x.request_id = :request_id AND ${seen}`);

export const MATERIAL_JOIN = materialJoin(SEEN_BY_CALLER);

/**
 * The AnchorProof (protocol §3.6) as canonical text, built from the chain: at most 100 nodes, so it is not stored twice.
 * Needs the checkpoint `k` of {@link ANCHOR_JOIN}.
 */
export const ANCHOR_COLUMN = `
  CASE WHEN k.acceptance IS NULL THEN NULL ELSE
    '{"acceptance":' || k.acceptance || ',"checkpoint":' || k.record || ',"proof":[' || (
      SELECT string_agg('{"head":"' || e.head || '","previous_head":"' || e.previous_head || '","record_digest":"'
        || e.record_digest || '","sequence":' || e.sequence || '}', ',' ORDER BY e.sequence)
      FROM ledger_entry e
      WHERE e.tenant = $1 AND e.sequence BETWEEN l.receipt_sequence AND l.anchor_sequence
    ) || ']}' END AS anchor`;

export const ANCHOR_JOIN = keyed(
  'checkpoint',
  'k',
  'x.generation = l.anchor_generation AND x.sequence = l.anchor_sequence',
);

export const LARGE_DIGESTS = statement(
  'database.large-digests',
  `SELECT ${WHOLE_DIGESTS} AS digests, m.request_id IS NOT NULL AS kept ${REQUEST_JOINS} ${MATERIAL_JOIN} WHERE t.tenant = $1`,
);

/** The row of {@link loadRequest}; everything from `request_id` on is null or absent when there is no such request. */
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
  tenant: string;
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
  hidden?: boolean | null;
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
  /** Of {@link INTEGRITY}: hexadecimal SHA-256, one after the other. */
  digests?: string | null;
  /** Of {@link INTEGRITY}: the digests of material are not among them. */
  large_digests?: boolean;
  /** Of {@link SMALL_INTEGRITY}. */
  is_large?: boolean;
  /** Of the deletion's load: `heldUntil`, epoch milliseconds. */
  held_until?: number | null;
}

export type LoadedRow = { replay: string | null; lifecycle: string | null } & Record<
  string,
  unknown
>;

/** The values of every load of {@link REQUEST_COLUMNS}; a statement's own values come beside these. */
export type LoadValues = {
  readonly tenant: string;
  readonly request_id: string;
  readonly caller: string;
  readonly operation: string;
  readonly key: string | null;
};

/** The values of a caller's load; without a key no stored answer is looked for. */
export function loadValues(
  caller: { readonly tenant: string; readonly id: string },
  requestId: string,
  operation = '',
  key: string | null = null,
): LoadValues {
  return { tenant: caller.tenant, request_id: requestId, caller: caller.id, operation, key };
}

/** Asks a load of {@link REQUEST_COLUMNS}; `Row` adds the service's own columns. */
export async function loadRequest<Row extends RequestRow>(
  pool: Pool,
  load: Statement,
  values: LoadValues & Values,
): Promise<Row | undefined> {
  const { rows } = await ask<LoadedRow>(pool, load, values);
  const row = rows[0] && rowOf<Row>(rows[0]);
  if (row?.large_digests !== true) return row;
  const whole = await pool
    .of(values.tenant)
    .large<{ digests: string; kept: boolean }>(materialOf(LARGE_DIGESTS, values));
  // Deleted meanwhile: the row that says so is another one.
  if (whole.rows[0]?.kept !== true) return loadRequest(pool, load, values);
  return Object.assign(row, { digests: whole.rows[0].digests });
}

/** A statement that reads material as a load with these values may: it has some of them. */
export function materialOf({ name, text, names }: Statement, values: LoadValues & Values) {
  const its = Object.fromEntries(names.map((each) => [each, values[each]]));
  return { name, text, values: valuesFor(names, its) };
}

/** A row with the columns `lifecycle` and `replay` of {@link REQUEST_COLUMNS}. */
export function rowOf<Row extends RequestRow>(loaded: LoadedRow): Row {
  // Onto the object that JSON.parse has made: copying objects of so many members costs more than all else here.
  const row = lifecycleRow(loaded.lifecycle);
  for (const name in loaded) {
    if (name !== 'replay' && name !== 'lifecycle') row[name] = loaded[name];
  }
  return Object.assign(row, replayOf(loaded.replay)) as unknown as Row;
}

type Replay = Pick<RequestRow, 'replay_digest' | 'replay_status' | 'replay_result'>;

/** The column of {@link replayColumn}. */
export function replayOf(replay: string | null): Replay {
  const [digest, status, result] =
    replay === null ? [null, null, null] : (JSON.parse(replay) as [string, number, string | null]);
  return { replay_digest: digest, replay_status: status, replay_result: result };
}

const TIMES = [
  'accepted_at',
  'review_deadline',
  'grant_deadline',
  'private_delete_at',
  'audit_delete_at',
  'reminded_at',
] as const;

function lifecycleRow(text: string | null): Record<string, unknown> {
  if (text === null) return { request_id: null };
  const row = JSON.parse(text) as Record<string, unknown>;
  for (const name of TIMES) {
    const time = row[name];
    if (typeof time === 'string') row[name] = Date.parse(time);
  }
  return row;
}

export interface StoredRequest {
  readonly tenant: string;
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
    tenant: row.tenant,
    id: row.request_id,
    owner: row.owner,
    route: row.route,
    digest: row.digest,
    canonical: row.canonical,
    request: requestIn(row.canonical),
    lifecycle: lifecycleOf(row),
    version: row.version,
    row,
  };
}

function requestIn(canonical: string): DecisionRequest {
  try {
    return JSON.parse(canonical) as DecisionRequest;
  } catch (cause) {
    throw new Refusal('material_integrity_mismatch', { cause });
  }
}

/** The columns that hold a request's state. */
export type LifecycleRow = Pick<
  RequestRow,
  | 'purpose'
  | 'decision'
  | 'audit'
  | 'grant_state'
  | 'execution'
  | 'revision'
  | 'invalidated'
  | 'review_deadline'
  | 'grant_deadline'
  | 'private_delete_at'
  | 'material_deleted'
  | 'reminded_at'
  | 'claim_id'
  | 'outcome_id'
  | 'admissions'
>;

export function lifecycleOf(row: LifecycleRow): Lifecycle {
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
 * INT of protocol §6.4 over a row loaded with {@link INTEGRITY}; throws `unsupported_revision`,
 * `unsupported_profile`, `agent_ui_profile_required` or `material_integrity_mismatch`, each 409. `supported`: the profiles that
 * the caller handles; without it those of every request.
 */
export function requireIntegrity(
  stored: StoredRequest,
  tenant: string,
  supported: Readonly<Record<string, string>> = SUPPORTED_PROFILES,
): void {
  requireRequestIntegrity(stored, tenant, supported);
  const { request, row } = stored;
  if (row.material_deleted) return;
  const { payload_digest, response_schema_digest, document_digest } = request.review;
  const digests = [stored.digest, payload_digest, response_schema_digest, document_digest];
  if (row.digests !== digests.map(hex).join('')) throw new Refusal('material_integrity_mismatch');
}

/** INT for a service that may not read material: revision, profiles and the request's own digest. */
export function requireRequestIntegrity(
  stored: StoredRequest,
  tenant: string,
  supported: Readonly<Record<string, string>> = SUPPORTED_PROFILES,
): void {
  const { request, row } = stored;
  if (request.protocol_revision !== PROTOCOL_REVISION)
    throw new Refusal('unsupported_revision', { status: 409 });
  // A tampered request may lack any member; its digest reveals it.
  for (const [name, version] of Object.entries(request.profiles ?? {})) {
    if (supported[name] !== version) throw new Refusal('unsupported_profile', { status: 409 });
  }
  if (request.review?.bundle !== undefined && request.profiles?.['proto.agent-ui'] !== '2') {
    throw new Refusal('agent_ui_profile_required', { status: 409 });
  }
  const same =
    request.id === stored.id &&
    request.tenant === tenant &&
    request.producer === stored.owner &&
    request.route === stored.route &&
    row.digests?.startsWith(hex(stored.digest)) === true;
  if (!same) throw new Refusal('material_integrity_mismatch');
}

function hex(digest: string): string {
  return digest.slice('sha256:'.length);
}

/** A key's stored answer (R5): the same status and bytes for the same body, a conflict for another. */
export function storedAnswer(
  row: Pick<RequestRow, 'replay_digest' | 'replay_status' | 'replay_result'>,
  body: GivenBody,
): { status: number; body: string } | null {
  if (row.replay_digest === null) return null;
  if (row.replay_digest !== bodyDigest(body)) throw new Refusal('idempotency_conflict');
  if (row.replay_result === null) throw new Refusal('idempotent_result_expired');
  return { status: row.replay_status ?? 200, body: row.replay_result };
}
