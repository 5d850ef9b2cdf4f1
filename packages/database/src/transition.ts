import type pg from 'pg';
import { textDigest } from '@countersign/protocol';

/** A signed record on its way into `record` and, through the outbox, into the ledger. */
export interface NewRecord {
  readonly id: string;
  readonly type: string;
  readonly audience: string;
  /** Timestamp text, as signed. */
  readonly issuedAt: string;
  /** Canonical text, signature included. */
  readonly text: string;
  readonly digest: string;
}

export interface NewAnswer {
  readonly principal: string;
  readonly operation: string;
  readonly key: string;
  /** Canonical text of the request body; its digest is what a retry must match. */
  readonly body: string;
  readonly status: number;
  /** The answer as served, or null when it is the record `recordId`. */
  readonly result: string | null;
  readonly recordId: string | null;
}

export interface NewDeadline {
  readonly kind: 'review' | 'grant' | 'reconciliation' | 'private_deletion' | 'audit_deletion';
  readonly due: number;
}

export interface Transit {
  readonly tenant: string;
  /** The directory that the decision was made with; a newer one undoes the statement. */
  readonly directoryRevision: number;
  readonly requestId: string;
  /** Version that the decision was made with. */
  readonly version: number;
  /** Epoch milliseconds: the statement has no effect at or after this time, on the database's clock. Null: any time. */
  readonly before: number | null;
  readonly records: readonly NewRecord[];
  readonly answer: NewAnswer | null;
  readonly deadlines: readonly NewDeadline[];
}

/** Parameters $1 … $20 are the transit's; a service's own start at `$21`. */
export const FIRST_OWN_PARAMETER = 21;

/** CTEs of records, outbox, answer and deadlines of one request, all hanging on a CTE `l` with one row or none. */
export const CONSEQUENCES = `
r AS (
  INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
  SELECT $1, x.id, $3::uuid, x.type, x.digest, x.issued_at, x.record
  FROM l, unnest($6::uuid[], $7::text[], $8::text[], $9::timestamptz[], $10::text[]) AS x (id, type, digest, issued_at, record)
), o AS (
  INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
  SELECT $1, x.id, $3::uuid, x.type, x.digest, x.audience
  FROM l, unnest($6::uuid[], $7::text[], $8::text[], $11::text[]) WITH ORDINALITY AS x (id, type, digest, audience, place)
  ORDER BY x.place
), a AS (
  INSERT INTO idempotency (tenant, principal, operation, key, digest, status, result, record_id, request_id, created_at)
  SELECT $1, $12, $13, $14, $15, $16::smallint, $17, $18::uuid, $3::uuid, clock_timestamp() FROM l WHERE $14::text IS NOT NULL
), d AS (
  INSERT INTO deadline (tenant, request_id, kind, due)
  SELECT $1, $3::uuid, x.kind, x.due FROM l, unnest($19::text[], $20::timestamptz[]) AS x (kind, due)
  ON CONFLICT (tenant, request_id, kind) DO UPDATE SET due = least(deadline.due, EXCLUDED.due)
)`;

/**
 * One statement, so one transaction and one round trip: holds the tenant's directory, compares and sets the lifecycle
 * row, and writes everything that belongs to the step. `columns` are what the service may move, in the order of its own
 * parameters; `with` adds CTEs of its own that read from `l`. Answers one row `saved`: 0 when somebody was faster.
 */
export function transitionSql(options: {
  columns: readonly string[];
  with?: readonly string[];
  check?: string;
}): string {
  const set = options.columns.map((column, place) => `${column} = $${FIRST_OWN_PARAMETER + place}`);
  return `WITH t AS (
  SELECT 1 FROM tenant WHERE tenant = $1 AND directory_revision = $2 FOR KEY SHARE
), l AS (
  UPDATE lifecycle SET ${['version = version + 1', ...set].join(', ')}
  FROM t
  WHERE lifecycle.tenant = $1 AND lifecycle.request_id = $3::uuid AND lifecycle.version = $4
    AND ($5::timestamptz IS NULL OR clock_timestamp() < $5)
  RETURNING lifecycle.request_id
), ${[CONSEQUENCES.trim(), ...(options.with ?? [])].join(', ')}
SELECT count(*)::integer AS saved${options.check === undefined ? '' : `, ${options.check}`} FROM l`;
}

/** The parameters $1 … $20 of {@link transitionSql}. */
export function transitValues(transit: Transit): unknown[] {
  const { records, answer, deadlines } = transit;
  return [
    transit.tenant,
    transit.directoryRevision,
    transit.requestId,
    transit.version,
    transit.before === null ? null : new Date(transit.before),
    ...recordValues(records),
    answer?.principal ?? null,
    answer?.operation ?? null,
    answer?.key ?? null,
    answer === null ? null : textDigest(answer.body),
    answer?.status ?? null,
    answer?.result ?? null,
    answer?.recordId ?? null,
    deadlines.map((deadline) => deadline.kind),
    deadlines.map((deadline) => new Date(deadline.due)),
  ];
}

/** Six arrays: ids, types, digests, times, texts, audiences. */
export function recordValues(records: readonly NewRecord[]): unknown[] {
  return [
    records.map((record) => record.id),
    records.map((record) => record.type),
    records.map((record) => record.digest),
    records.map((record) => record.issuedAt),
    records.map((record) => record.text),
    records.map((record) => record.audience),
  ];
}

/** Somebody else moved the request or the directory since it was read: read again and decide again. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

/** Runs a prepared transition; throws {@link StaleRead} when it had no effect. */
export async function saveTransition(
  pool: pg.Pool,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<void> {
  try {
    const result = await pool.query<{ saved: number }>({ ...statement, values });
    if (result.rows[0]?.saved !== 1) throw new StaleRead(statement.name);
  } catch (error) {
    if (isUniqueViolation(error) || isUndone(error))
      throw new StaleRead(statement.name, { cause: error });
    throw error;
  }
}

/** Another call took the key, identity, nonce or occurrence first: what is stored now is the answer to give. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === '23505';
}

/** `must` of the database undid the statement: a step that had to have an effect had none. */
function isUndone(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'CSQ02';
}

const MOST_ATTEMPTS = 8;

/**
 * Load, decide, save; again with fresh state when another call was faster. A decision is only ever saved on the state
 * that it was made with.
 */
export async function withFreshState<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleRead) || tries === MOST_ATTEMPTS) throw error;
    }
  }
}
