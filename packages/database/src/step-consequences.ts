import type { DeadlineKind, Transition } from '@countersign/protocol';
import type { CallerIdentity } from './access.js';
import { bodyDigest } from './given-body.js';
import type { GivenBody } from './given-body.js';
import type { Values } from './statement.js';

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

/** An answer to keep under the caller's key (protocol §6.3). */
export interface NewAnswer {
  readonly call: {
    readonly caller: Pick<CallerIdentity, 'id'>;
    /** In which the key is the caller's. */
    readonly scope: string;
    readonly key: string;
    /** Which a retry must match. */
    readonly body: GivenBody;
  };
  readonly status: number;
  /** As served, or null when it is the step's evidence ({@link evidenceIn}). */
  readonly result: string | null;
}

/** The results of a step beside the request's own row. */
export type Consequences = Pick<Transition, 'deadlines' | 'settled' | 'incidents'> & {
  /** In the order of the ledger. */
  readonly records: readonly NewRecord[];
  readonly answer?: NewAnswer | undefined;
};

/** The record of a step that is evidence of it: the one that is no event. */
export function evidenceIn<Signed extends NewRecord>(records: readonly Signed[]): Signed {
  const found = records.find(({ type }) => type !== 'RequestChangedEvent');
  if (found === undefined) throw new TypeError('the step leaves no record but its events');
  return found;
}

/**
 * The results that the steps of a statement may have. Each part has parameters of its own, and a statement only those it
 * needs.
 */
export interface ConsequenceShape {
  /**
   * How many records at most, each of whose parts is a parameter of its own; or `any`, as arrays, of which a long text is
   * copied once more on either side. 0: none; 1: never none.
   */
  readonly records: number | 'any';
  readonly answer?: boolean;
  readonly deadlines?: boolean;
  /** Without it, deadlines that are done with the step stay, and their worker finds out. */
  readonly settles?: boolean;
  /** Deadlines that go with the step, done or not. */
  readonly drops?: readonly DeadlineKind[];
  readonly incidents?: boolean;
}

const PARTS = {
  id: 'uuid',
  type: 'text',
  digest: 'text',
  issued_at: 'timestamptz',
  record: 'text',
  audience: 'text',
} as const;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];

/**
 * CTEs that write the consequences of a step, as one statement with it. All of them hang on the CTE `step`, which has one row,
 * or none when the step has no effect. `request`: SQL for the request's id. `recordRequest`: the same for a record `x`, where
 * not all are the step's own.
 */
export function consequences(
  shape: ConsequenceShape,
  of: { readonly step?: string; readonly request?: string; readonly recordRequest?: string } = {},
): string[] {
  const { step = 'l', request = '$3::uuid' } = of;
  const { recordRequest = request } = of;
  return [
    ...(shape.records === 0 ? [] : newRecords(recordsIn(shape.records, step), recordRequest)),
    ...(shape.answer ? [newAnswer(step, request)] : []),
    ...(shape.deadlines ? [newDeadlines(step, request)] : []),
    ...(shape.settles ? [settledDeadlines(step, request)] : []),
    ...(shape.drops === undefined ? [] : [droppedDeadlines(shape.drops, step, request)]),
    ...(shape.incidents ? [newIncidents(step, request)] : []),
  ];
}

/**
 * The values of {@link consequences}, by name. Throws a TypeError for a result that the statement has no parameters for.
 */
export function consequenceValues(left: Consequences, shape: ConsequenceShape): Values {
  const { records, answer, deadlines, settled, incidents } = left;
  const fits =
    (shape.records === 'any' || records.length <= shape.records) &&
    (shape.records !== 1 || records.length === 1) &&
    (shape.answer || answer === undefined) &&
    (shape.deadlines || deadlines.length === 0) &&
    (shape.incidents || incidents.length === 0);
  if (!fits) throw new TypeError('the step leaves what its statement has no place for');
  return {
    ...(shape.records === 'any' ? recordArrays(records) : slotValues(records, shape.records)),
    ...(shape.answer ? answerValues(answer, records) : {}),
    ...(shape.deadlines
      ? {
          deadline_kinds: deadlines.map(({ kind }) => kind),
          deadline_times: deadlines.map(({ due }) => new Date(due)),
        }
      : {}),
    ...(shape.settles ? { settled } : {}),
    ...(shape.incidents ? { incident_codes: incidents } : {}),
  };
}

// Records -----------------------------------------------------------------------------------------

/** Where records come from: SQL of each part, of a table `x` unless there is one record alone. */
interface RecordSource {
  readonly part: Readonly<Record<Part, string>>;
  readonly from: string;
  /** Puts them in their order. */
  readonly order: string;
}

const PARTS_OF_X = Object.fromEntries(PART_NAMES.map((name) => [name, `x.${name}`])) as Record<
  Part,
  string
>;

function recordsIn(records: number | 'any', step: string): RecordSource {
  if (records === 'any') return recordsInArrays(step);
  if (records === 1) {
    const typed = PART_NAMES.map((name) => [name, `:record_0_${name}::${PARTS[name]}`]);
    return { part: Object.fromEntries(typed) as RecordSource['part'], from: step, order: '' };
  }
  const rows = Array.from({ length: records }, (_, slot) => {
    const parts = PART_NAMES.map((name) => `:record_${slot}_${name}::${PARTS[name]}`);
    return `(${parts.join(', ')}, ${slot})`;
  });
  const table = `(SELECT * FROM (VALUES ${rows.join(', ')}) AS x (${PART_NAMES.join(', ')}, place) WHERE x.id IS NOT NULL OFFSET 0) AS x`;
  return { part: PARTS_OF_X, from: `${step}, ${table}`, order: ' ORDER BY x.place' };
}

/** From arrays of equal length, with `more` of them beside those of {@link recordArrays}, as named parameters. */
function recordsInArrays(step: string | null, more: readonly (readonly [string, string])[] = []) {
  const columns = [...more, ...PART_NAMES.map((name) => [name, PARTS[name]] as const)];
  const arrays = columns.map(([name, type]) => `:record_${name}s::${type}[]`);
  const names = [...columns.map(([name]) => name), 'place'];
  const table = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS x (${names.join(', ')})`;
  const from = step === null ? table : `${step}, ${table}`;
  return { part: PARTS_OF_X, from, order: ' ORDER BY x.place' };
}

function newRecords({ part, from, order }: RecordSource, request: string): string[] {
  return [
    `r AS (
  INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
  SELECT $1, ${part.id}, ${request}, ${part.type}, ${part.digest}, ${part.issued_at}, ${part.record} FROM ${from}
)`,
    `o AS (
  INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
  SELECT $1, ${part.id}, ${request}, ${part.type}, ${part.digest}, ${part.audience} FROM ${from}${order}
)`,
  ];
}

/**
 * CTEs that write records of several requests, each with its request's id or null. `only`: a CTE of request ids `request_id`,
 * and only the records of these are written.
 */
export function recordsOfRequests(only?: string): string[] {
  const source = recordsInArrays(null, [['request_id', 'uuid']]);
  const join = only === undefined ? '' : ` JOIN ${only} moved ON moved.request_id = x.request_id`;
  return newRecords({ ...source, from: `${source.from}${join}` }, 'x.request_id');
}

/** The values of {@link recordsOfRequests}. */
export function recordsOfRequestsValues(
  records: readonly { readonly requestId: string | null; readonly record: NewRecord }[],
): Values {
  return {
    record_request_ids: records.map(({ requestId }) => requestId),
    ...recordArrays(records.map(({ record }) => record)),
  };
}

const partsOf = (record: NewRecord): Readonly<Record<Part, string>> => ({
  id: record.id,
  type: record.type,
  digest: record.digest,
  issued_at: record.issuedAt,
  record: record.text,
  audience: record.audience,
});

function recordArrays(records: readonly NewRecord[]): Values {
  const parts = records.map(partsOf);
  return Object.fromEntries(
    PART_NAMES.map((name) => [`record_${name}s`, parts.map((part) => part[name])]),
  );
}

function slotValues(records: readonly NewRecord[], slots: number): Values {
  const values: Record<string, string | null> = {};
  for (let slot = 0; slot < slots; slot += 1) {
    const record = records[slot];
    const parts = record === undefined ? null : partsOf(record);
    for (const name of PART_NAMES) values[`record_${slot}_${name}`] = parts?.[name] ?? null;
  }
  return values;
}

// Answer, deadlines, incidents --------------------------------------------------------------------

function newAnswer(step: string, request: string): string {
  return `a AS (
  INSERT INTO idempotency (tenant, principal, operation, key, digest, status, result, record_id, request_id, created_at)
  SELECT $1, :principal, :operation, :key, :body_digest, :status::smallint, :result, :record_id::uuid, ${request},
    clock_timestamp() FROM ${step} WHERE :key::text IS NOT NULL
)`;
}

/** SQL that keeps an answer of an operation on no request, inside a transaction of its own. */
export function savedAnswer(): string {
  return `WITH l AS (SELECT 1), ${newAnswer('l', 'NULL::uuid')} SELECT 1 AS saved`;
}

function answerValues(answer: NewAnswer | undefined, records: readonly NewRecord[]): Values {
  return {
    principal: answer?.call.caller.id ?? null,
    operation: answer?.call.scope ?? null,
    key: answer?.call.key ?? null,
    body_digest: answer === undefined ? null : bodyDigest(answer.call.body),
    status: answer?.status ?? null,
    result: answer?.result ?? null,
    record_id: answer?.result === null ? evidenceIn(records).id : null,
  };
}

function newDeadlines(step: string, request: string): string {
  return `d AS (
  INSERT INTO deadline (tenant, request_id, kind, due)
  SELECT $1, ${request}, x.kind, x.due
  FROM ${step}, unnest(:deadline_kinds::text[], :deadline_times::timestamptz[]) AS x (kind, due)
  ON CONFLICT (tenant, request_id, kind) DO UPDATE SET due = least(deadline.due, EXCLUDED.due)
)`;
}

function settledDeadlines(step: string, request: string): string {
  return `dd AS (
  ${settleDeadlines({ request, kind: 'ANY (:settled::text[])', from: step })}
)`;
}

function droppedDeadlines(kinds: readonly DeadlineKind[], step: string, request: string): string {
  const list = kinds.map((kind) => `'${kind}'`).join(', ');
  return `dx AS (
  DELETE FROM deadline USING ${step} WHERE deadline.tenant = $1 AND deadline.request_id = ${request}
    AND deadline.kind IN (${list})
)`;
}

function newIncidents(step: string, request: string): string {
  return `i AS (
  ${openIncident({
    code: 'x.code',
    request,
    from: `${step}, unnest(:incident_codes::text[]) AS x (code)`,
  })}
)`;
}

/** The one text that marks deadlines of the tenant `$1` as done; all else is SQL. */
export function settleDeadlines(of: {
  readonly request: string;
  readonly kind: string;
  readonly from?: string;
  readonly and?: string;
}): string {
  return `UPDATE deadline SET done_at = clock_timestamp()${of.from === undefined ? '' : ` FROM ${of.from}`}
  WHERE deadline.tenant = $1 AND deadline.request_id = ${of.request} AND deadline.kind = ${of.kind}
    AND deadline.done_at IS NULL${of.and === undefined ? '' : ` AND ${of.and}`}`;
}

/** The one text that lets a deadline of the tenant `$1` rest: for `seconds`, SQL in which `attempts` are those before. */
export function restDeadline(of: {
  readonly request: string;
  readonly kind: string;
  readonly seconds: string;
}): string {
  return `UPDATE deadline SET attempts = attempts + 1,
    rests_until = clock_timestamp() + make_interval(secs => ${of.seconds})
  WHERE tenant = $1 AND request_id = ${of.request} AND kind = ${of.kind} AND done_at IS NULL
  RETURNING attempts`;
}

/** The one text that lets a deadline of the tenant `$1` rest until a time, which is no failure; all is SQL. */
export function holdDeadline(of: {
  readonly request: string;
  readonly kind: string;
  readonly until: string;
}): string {
  return `UPDATE deadline SET attempts = 0, rests_until = ${of.until}
  WHERE tenant = $1 AND request_id = ${of.request} AND kind = ${of.kind} AND done_at IS NULL`;
}

/** The one text by which an open incident of the tenant `$1` becomes another; all else is SQL. */
export function replaceIncident(of: {
  readonly code: string;
  readonly by: string;
  readonly request: string;
  readonly from: string;
}): string {
  return `UPDATE incident SET code = ${of.by} FROM ${of.from}
  WHERE incident.tenant = $1 AND incident.request_id = ${of.request} AND incident.code = ${of.code}
  RETURNING 1`;
}

/** The one text that opens an incident of the tenant `$1`; all else is SQL. */
export function openIncident(of: {
  readonly code: string;
  readonly request?: string;
  readonly from: string;
}): string {
  return `INSERT INTO incident (tenant, id, code, request_id, created_at)
  SELECT $1, gen_random_uuid(), ${of.code}, ${of.request ?? 'NULL::uuid'}, clock_timestamp() FROM ${of.from}`;
}
