import { bodyDigest } from './given-body.js';
import type { GivenBody } from './given-body.js';

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
  readonly body: GivenBody;
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
}

/** What a step writes beside its request's own row, as far as its statement knows beforehand. */
export interface StepShape {
  /**
   * How many records at most, each of whose parts is a parameter of its own; or `any`, as arrays, of which a long text is
   * copied once more on either side. 0: none; 1: never none.
   */
  readonly records: number | 'any';
  readonly answer: boolean;
  readonly deadlines: boolean;
}

const ANYTHING: StepShape = { records: 'any', answer: true, deadlines: true };

const TRANSIT_PARAMETERS = 5;
const ANSWER_PARAMETERS = 7;
const DEADLINE_PARAMETERS = 2;
/** Parts of a record, in the order of their parameters. */
const PARTS = ['id', 'type', 'digest', 'issued_at', 'record', 'audience'] as const;
const PART_TYPES = ['uuid', 'text', 'text', 'timestamptz', 'text', 'text'];

/** How a step's values become the parameters of its statement, and the CTEs that write what follows from the step. */
export interface StepForm {
  /** The parameter of the service's own value at that place, from 0; `$1` to `$5` are the transit's. */
  readonly own: (place: number) => string;
  /** Whoever the stored answer is for. */
  readonly principal: string;
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
  const recordsAt = deadlinesAt + (shape.deadlines ? DEADLINE_PARAMETERS : 0);
  const slots = shape.records === 'any' ? 1 : shape.records;
  const ownAt = recordsAt + slots * PARTS.length;
  const at = (from: number) => (place: number) => `$${from + place}`;
  return {
    own: at(ownAt),
    principal: at(answerAt)(0),
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
        ...(shape.records === 'any'
          ? recordValues(transit.records)
          : slotValues(transit.records, shape.records)),
        ...own,
      ];
    },
  };
}

/** Where a step's records come from: SQL of each part, of a table `x` unless there is one record alone. */
interface RecordSource {
  readonly part: Readonly<Record<(typeof PARTS)[number], string>>;
  /** What follows `FROM l`. */
  readonly from: string;
  /** Puts them in their order. */
  readonly order: string;
}

function recordsIn(records: number | 'any', at: (place: number) => string): RecordSource {
  if (records === 1) {
    const typed = PARTS.map((name, place) => [name, `${at(place)}::${PART_TYPES[place]}`]);
    return { part: Object.fromEntries(typed) as RecordSource['part'], from: '', order: '' };
  }
  const named = PARTS.map((name) => [name, `x.${name}`]);
  const part = Object.fromEntries(named) as RecordSource['part'];
  return { part, from: `, ${tableOf(records, at)}`, order: ' ORDER BY x.place' };
}

/** A table `x` of a step's records. */
function tableOf(records: number | 'any', at: (place: number) => string): string {
  const names = `x (${PARTS.join(', ')}, place)`;
  if (records === 'any') {
    const arrays = PART_TYPES.map((type, place) => `${at(place)}::${type}[]`);
    return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${names}`;
  }
  const rows = Array.from({ length: records }, (_, slot) => {
    const parts = PART_TYPES.map((type, place) => `${at(slot * PARTS.length + place)}::${type}`);
    return `(${parts.join(', ')}, ${slot})`;
  });
  return `(SELECT * FROM (VALUES ${rows.join(', ')}) AS ${names} WHERE x.id IS NOT NULL OFFSET 0) AS x`;
}

function keptRecords({ part, from, order }: RecordSource, requestOf: string): string[] {
  return [
    `r AS (
  INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
  SELECT $1, ${part.id}, ${requestOf}, ${part.type}, ${part.digest}, ${part.issued_at}, ${part.record} FROM l${from}
)`,
    `o AS (
  INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
  SELECT $1, ${part.id}, ${requestOf}, ${part.type}, ${part.digest}, ${part.audience} FROM l${from}${order}
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
  return [principal, operation, key, bodyDigest(body), status, result, recordId];
}

function deadlineValues(deadlines: readonly NewDeadline[]): unknown[] {
  return [
    deadlines.map((deadline) => deadline.kind),
    deadlines.map((deadline) => new Date(deadline.due)),
  ];
}

/** What has no place in a statement, and a place with nothing in it, would go wrong without a word. */
function requirePlaces({ records, answer, deadlines }: Transit, shape: StepShape): void {
  const fits =
    (shape.records === 'any' || records.length <= shape.records) &&
    (shape.records !== 1 || records.length === 1) &&
    (shape.answer || answer === null) &&
    (shape.deadlines || deadlines.length === 0);
  if (!fits) throw new TypeError('the step does not write what its statement has places for');
}

function slotValues(records: readonly NewRecord[], slots: number): unknown[] {
  return Array.from({ length: slots }, (_, slot) => records[slot]).flatMap((record) =>
    record === undefined
      ? [null, null, null, null, null, null]
      : [record.id, record.type, record.digest, record.issuedAt, record.text, record.audience],
  );
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
