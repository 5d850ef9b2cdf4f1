import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { textDigest } from '@countersign/protocol';
import type { Recalled } from './recall.js';
import { FENCED_COLUMN, marksOf } from './request-row.js';

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
  readonly kind:
    | 'review'
    | 'grant'
    | 'reconciliation'
    | 'reconciliation_end'
    | 'private_deletion'
    | 'audit_deletion';
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
  /** The decision was made with what was recalled: it is compared with what is there. Not given: with what was read. */
  readonly recalled?: Recalled | null | undefined;
}

/** What a step writes beside its request's own row, as far as its statement knows beforehand. */
export interface StepShape {
  /**
   * How many records at most, each of whose parts is a parameter of its own; or `any`, as arrays, of which a long text is
   * copied once more on either side. 0: none.
   */
  readonly records: number | 'any';
  readonly answer: boolean;
  readonly deadlines: boolean;
  /** Whether the step may be decided with what was recalled. */
  readonly recalls?: boolean;
}

const ANYTHING: StepShape = { records: 'any', answer: true, deadlines: true };

const TRANSIT_PARAMETERS = 5;
const ANSWER_PARAMETERS = 7;
const DEADLINE_PARAMETERS = 2;
const RECORD_PARAMETERS = 6;
const RECALL_PARAMETERS = 2;

/** How a step's values become the parameters of its statement, and the CTEs that write what follows from the step. */
export interface StepForm {
  /** The parameter of the service's own value at that place, from 0; `$1` to `$5` are the transit's. */
  readonly own: (place: number) => string;
  /** Whoever the stored answer is for. */
  readonly principal: string;
  /** The parameters of what was recalled, null when the state was read; null where steps recall nothing. */
  readonly recalled: { readonly marks: string; readonly at: string } | null;
  /**
   * CTEs of records, outbox, answer and deadlines of one request, all hanging on a CTE `l` with one row or none.
   * `requestOf`: SQL for the request that a record `x` belongs to, when that is not always the step's own.
   */
  readonly consequences: (requestOf?: string) => string;
  /** All parameters, `own` last. */
  readonly values: (transit: Transit, own: readonly unknown[]) => unknown[];
}

/** Parameters: the transit's, those of the answer, of deadlines, of records, then the service's own. */
export function stepForm(shape: StepShape = ANYTHING): StepForm {
  const answerAt = TRANSIT_PARAMETERS + 1;
  const deadlinesAt = answerAt + (shape.answer ? ANSWER_PARAMETERS : 0);
  const recallAt = deadlinesAt + (shape.deadlines ? DEADLINE_PARAMETERS : 0);
  const recordsAt = recallAt + (shape.recalls ? RECALL_PARAMETERS : 0);
  const slots = shape.records === 'any' ? 1 : shape.records;
  const ownAt = recordsAt + slots * RECORD_PARAMETERS;
  const at = (from: number) => (place: number) => `$${from + place}`;
  return {
    own: at(ownAt),
    principal: at(answerAt)(0),
    recalled: shape.recalls ? { marks: at(recallAt)(0), at: at(recallAt)(1) } : null,
    consequences: (requestOf = '$3::uuid') =>
      [
        ...(slots === 0 ? [] : keptRecords(recordsIn(shape.records, at(recordsAt)), requestOf)),
        ...(shape.answer ? [keptAnswer(at(answerAt))] : []),
        ...(shape.deadlines ? [keptDeadlines(at(deadlinesAt))] : []),
      ].join(', '),
    values: (transit, own) => {
      requirePlaces(transit, shape);
      return [
        transit.tenant,
        transit.directoryRevision,
        transit.requestId,
        transit.version,
        transit.before === null ? null : new Date(transit.before),
        ...(shape.answer ? answerValues(transit.answer) : []),
        ...(shape.deadlines ? deadlineValues(transit.deadlines) : []),
        ...(shape.recalls ? recallValues(transit.recalled ?? null) : []),
        ...(shape.records === 'any'
          ? recordValues(transit.records)
          : slotValues(transit.records, shape.records)),
        ...own,
      ];
    },
  };
}

/** A table `x (id, type, digest, issued_at, record, audience, place)` of a step's records. */
function recordsIn(records: number | 'any', at: (place: number) => string): string {
  const names = 'x (id, type, digest, issued_at, record, audience, place)';
  const types = ['uuid', 'text', 'text', 'timestamptz', 'text', 'text'];
  if (records === 'any') {
    const arrays = types.map((type, place) => `${at(place)}::${type}[]`);
    return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${names}`;
  }
  const rows = Array.from({ length: records }, (_, slot) => {
    const parts = types.map((type, place) => `${at(slot * RECORD_PARAMETERS + place)}::${type}`);
    return `(${parts.join(', ')}, ${slot})`;
  });
  return `(SELECT * FROM (VALUES ${rows.join(', ')}) AS ${names} WHERE x.id IS NOT NULL OFFSET 0) AS x`;
}

function keptRecords(records: string, requestOf: string): string[] {
  return [
    `r AS (
  INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
  SELECT $1, x.id, ${requestOf}, x.type, x.digest, x.issued_at, x.record FROM l, ${records}
)`,
    `o AS (
  INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
  SELECT $1, x.id, ${requestOf}, x.type, x.digest, x.audience FROM l, ${records} ORDER BY x.place
)`,
  ];
}

function keptAnswer(at: (place: number) => string): string {
  return `a AS (
  INSERT INTO idempotency (tenant, principal, operation, key, digest, status, result, record_id, request_id, created_at)
  SELECT $1, ${at(0)}, ${at(1)}, ${at(2)}, ${at(3)}, ${at(4)}::smallint, ${at(5)}, ${at(6)}::uuid, $3::uuid, clock_timestamp()
  FROM l WHERE ${at(2)}::text IS NOT NULL
)`;
}

function keptDeadlines(at: (place: number) => string): string {
  return `d AS (
  INSERT INTO deadline (tenant, request_id, kind, due)
  SELECT $1, $3::uuid, x.kind, x.due FROM l, unnest(${at(0)}::text[], ${at(1)}::timestamptz[]) AS x (kind, due)
  ON CONFLICT (tenant, request_id, kind) DO UPDATE SET due = least(deadline.due, EXCLUDED.due)
)`;
}

function answerValues(answer: NewAnswer | null): unknown[] {
  if (answer === null) return Array.from({ length: ANSWER_PARAMETERS }, () => null);
  const { principal, operation, key, body, status, result, recordId } = answer;
  return [principal, operation, key, textDigest(body), status, result, recordId];
}

function deadlineValues(deadlines: readonly NewDeadline[]): unknown[] {
  return [
    deadlines.map((deadline) => deadline.kind),
    deadlines.map((deadline) => new Date(deadline.due)),
  ];
}

/** What has no place in a statement would be lost without a word. */
function requirePlaces({ records, answer, deadlines, recalled }: Transit, shape: StepShape): void {
  const fits =
    (shape.records === 'any' || records.length <= shape.records) &&
    (shape.answer || answer === null) &&
    (shape.deadlines || deadlines.length === 0) &&
    (shape.recalls || (recalled ?? null) === null);
  if (!fits) throw new TypeError('the step writes more than its statement has places for');
}

function recallValues(recalled: Recalled | null): unknown[] {
  return recalled === null ? [null, null] : [recalled.marks, new Date(recalled.at)];
}

function slotValues(records: readonly NewRecord[], slots: number): unknown[] {
  return Array.from({ length: slots }, (_, slot) => records[slot]).flatMap((record) =>
    record === undefined
      ? [null, null, null, null, null, null]
      : [record.id, record.type, record.digest, record.issuedAt, record.text, record.audience],
  );
}

/** The service's own part of a step. */
export interface StepParts {
  /** What the service may move, in the order of its own parameters. */
  readonly columns: readonly string[];
  /** CTEs of its own that read from `l`; they use the parameters after those of the columns. */
  readonly with?: readonly string[];
  readonly check?: string;
  /** What must hold beside the version. */
  readonly where?: string;
}

/** A prepared statement that saves a step. */
export interface StepStatement {
  readonly name: string;
  readonly text: string;
  readonly form: StepForm;
}

/**
 * One statement, so one transaction and one round trip: holds the tenant's directory, compares and sets the lifecycle
 * row, and writes everything that belongs to the step. Answers one row `saved`: 0 when somebody was faster.
 */
export function transition(
  name: string,
  parts: StepParts,
  form: StepForm = ANY_STEP,
): StepStatement {
  const set = parts.columns.map((column, place) => `${column} = ${form.own(place)}`);
  const text = `WITH t AS (
  SELECT ${form.recalled === null ? '1' : `t.xmin AS mark, ${FENCED_COLUMN} AS fenced`} FROM tenant t
  WHERE t.tenant = $1 AND t.directory_revision = $2 FOR KEY SHARE
), l AS (
  UPDATE lifecycle SET ${['version = version + 1', ...set].join(', ')}
  FROM t
  WHERE lifecycle.tenant = $1 AND lifecycle.request_id = $3::uuid AND lifecycle.version = $4
    AND ($5::timestamptz IS NULL OR clock_timestamp() < $5)${[...recallHolds(form), ...(parts.where === undefined ? [] : [parts.where])].map((held) => ` AND ${held}`).join('')}
  RETURNING lifecycle.request_id
), ${[form.consequences(), ...(parts.with ?? [])].join(', ')}
SELECT ${form.recalled === null ? SAVED : SAVED_AND_MARK}${parts.check === undefined ? '' : `, ${parts.check}`} FROM l`;
  return { name, text, form };
}

const SAVED = 'count(*)::integer AS saved';

/** As {@link Saved}, from a CTE `l` with the row that was saved. */
export const SAVED_AND_MARK = `${SAVED}, pg_current_xact_id()::xid::text AS mark,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

/** What was recalled is what is there, and the time that it was decided at has come and has hardly passed. */
function recallHolds({ recalled }: StepForm): string[] {
  if (recalled === null) return [];
  const markIn = (table: string, key: string) =>
    `(SELECT x.xmin FROM ${table} x WHERE x.tenant = $1 AND x.${key} = $3::uuid LIMIT 1)`;
  const marks = marksOf({
    lifecycle: 'lifecycle.xmin',
    tenant: 't.mark',
    request: markIn('request', 'id'),
    material: markIn('material', 'request_id'),
    fenced: 't.fenced',
  });
  return [
    `(${recalled.marks}::text IS NULL OR (${recalled.marks} = ${marks}
      AND clock_timestamp() >= ${recalled.at}::timestamptz
      AND clock_timestamp() < ${recalled.at} + interval '1 second'))`,
  ];
}

/** A step of which nothing is known beforehand. */
export const ANY_STEP = stepForm();

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

/** What a statement that recalls tells of what it wrote. */
export interface Saved {
  /** The `mark` of every row that it wrote. */
  readonly mark: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Runs a prepared transition with the service's own values; throws {@link StaleRead} when it had no effect. */
export async function saveTransition(
  pool: pg.Pool,
  { name, text, form }: StepStatement,
  transit: Transit,
  own: readonly unknown[],
): Promise<Saved> {
  try {
    const values = form.values(transit, own);
    const { rows } = await pool.query<Saved & { saved: number }>({ name, text, values });
    const [saved] = rows;
    if (saved?.saved !== 1) throw new StaleRead(name);
    return saved;
  } catch (error) {
    throw isBeaten(error) ? new StaleRead(name, { cause: error }) : error;
  }
}

const BEATEN: readonly unknown[] = [
  // Another call took the key, identity, nonce or occurrence first: what is stored now is the answer to give.
  '23505',
  // Both waited for each other, and Postgres ended this one.
  '40P01',
  // `must` of the database: a step that had to have an effect had none.
  'CSQ02',
];

/** A statement or transaction was undone because of another one: what is there now is to be read and decided on anew. */
export function isBeaten(error: unknown): boolean {
  return BEATEN.includes((error as { code?: unknown } | null)?.code);
}

/** As many as may call at once for one request, each of whom moves it in turn. */
const MOST_ATTEMPTS = 64;
/** The first ones at once; then they get out of each other's way. */
const UNHURRIED = 3;
const LONGEST_PAUSE_MS = 40;

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
      if (tries > UNHURRIED) await delay(Math.random() * LONGEST_PAUSE_MS);
    }
  }
}

type Attempting = (call: never) => Promise<unknown>;

/** The handlers of a service, each of which is called anew for as long as it ends in {@link StaleRead}. */
export function onFreshState<Handlers extends Readonly<Record<string, Attempting>>>(
  handlers: Handlers,
): Handlers {
  const anew = Object.entries(handlers).map(([name, handler]): [string, Attempting] => [
    name,
    (call) => withFreshState(() => handler(call)),
  ]);
  return Object.fromEntries(anew) as Handlers;
}
