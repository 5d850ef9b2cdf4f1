import { Refusal } from '@countersign/protocol';
import type { DecisionRequest, Draft, Lifecycle, Transition } from '@countersign/protocol';
import { StaleRead, isBeaten } from './fresh-state.js';
import { isKept } from './holds.js';
import { columnType, lifecycleArrays, lifecycleColumns } from './lifecycle-columns.js';
import type { LifecycleColumn } from './lifecycle-columns.js';
import { ask, asked } from './pool.js';
import type { Asking, Pool } from './pool.js';
import { placed } from './request-row.js';
import type { RequestRow, StoredRequest } from './request-row.js';
import { compile, statement } from './statement.js';
import type { Statement, Values } from './statement.js';
import {
  consequenceValues,
  consequences,
  evidenceIn,
  recordsOfRequests,
  recordsOfRequestsValues,
} from './step-consequences.js';
import type { ConsequenceShape, NewAnswer, NewRecord } from './step-consequences.js';

// The one writer of a step's results. Every step of a request is one statement, so one transaction and one round trip: it
// holds the tenant's directory, compares and sets the lifecycle row, and writes everything that follows from it.

/** The services that {@link commit} needs: the database, the signer of records and the hint to the ledger. */
export interface Saving<Signed extends NewRecord = NewRecord> {
  readonly pool: Pool;
  readonly notary: Signing<Signed>;
  /** Sends the ledger the hint that a tenant has records to chain; never awaited. */
  readonly chained: (tenant: string) => void;
}

export interface Signing<Signed> {
  /** Signs the records of a step on a request, in their order; `at` in epoch milliseconds. */
  sign(tenant: string, about: ReadRequest, drafts: readonly Draft[], at: number): Promise<Signed[]>;
}

/** The request that a step was decided on, as it was read. */
export type ReadRequest = Pick<StoredRequest, 'tenant' | 'id' | 'owner' | 'version'> & {
  readonly request: Pick<DecisionRequest, 'purpose' | 'profiles'>;
  /** `directory_revision`: that of the decision; a newer one undoes the statement. */
  readonly row: Pick<RequestRow, 'now' | 'directory_revision'>;
};

/** A transition and the values that are saved with it. */
export interface Step<Signed = NewRecord> {
  /** Epoch milliseconds: the statement has no effect at or after this time, on the database's clock. Null: any time. */
  readonly before?: number | null;
  /** A function makes one that has the step's own records. */
  readonly answer?: NewAnswer | ((signed: readonly Signed[]) => NewAnswer);
  /** Records that are signed already and come before the step's own. */
  readonly first?: readonly NewRecord[];
  /** Records that are signed already and follow the step's own. */
  readonly others?: readonly NewRecord[];
  /** The statement's own values, by name. */
  readonly own?: Values;
  /** The name of the lock that the statement takes, if it is not the request's row ({@link PointQuery}). */
  readonly holds?: string;
}

/** `$1` to `$5` of every step's statement. */
const STEP_PARAMETERS = ['tenant', 'directory_revision', 'request_id', 'version', 'before'];

/** How a step's statement is made. */
export interface StepParts extends ConsequenceShape {
  /** See {@link Statement}. */
  readonly pointQuery?: boolean;
  /** Columns of the request's state that the step moves. Without them it only holds the request, as it was read. */
  readonly moves?: readonly LifecycleColumn[];
  /** Other columns of the lifecycle row, each with the SQL of its value. */
  readonly sets?: Readonly<Record<string, string>>;
  /** CTEs of the service's own rows, which read from `l` and have values of their own by name. */
  readonly with?: readonly string[];
  /** SQL beside the count of the rows of `l`, such as `must(…)`. */
  readonly check?: string;
}

/** A prepared statement that saves a step. */
export interface StepStatement extends Statement {
  readonly shape: ConsequenceShape;
  readonly moves: readonly LifecycleColumn[];
}

/** A step of a request that is there. */
export function stepStatement(name: string, parts: StepParts): StepStatement {
  const { moves, sets } = parts;
  const read = { id: '$3::uuid', version: '$4', and: IN_TIME };
  const row = moves === undefined ? heldRow(read) : movedRow({ ...read, moves, sets });
  return customStep(name, parts, [`l AS (${row})`, ...consequences(parts)]);
}

const IN_TIME = '($5::timestamptz IS NULL OR clock_timestamp() < $5)';

interface ReadRow {
  /** SQL of the request's id and of the version that it was read with. */
  readonly id: string;
  readonly version: string;
  readonly and?: string;
}

const asRead = ({ id, version, and }: ReadRow) =>
  `lifecycle.tenant = $1 AND lifecycle.request_id = ${id} AND lifecycle.version = ${version}${and === undefined ? '' : ` AND ${and}`}`;

function heldRow(read: ReadRow): string {
  return `SELECT lifecycle.request_id FROM lifecycle, t WHERE ${asRead(read)} FOR SHARE OF lifecycle`;
}

/** Moves a request of the tenant `t` from the version that it was read with, or does nothing. */
export function movedRow(
  of: ReadRow & {
    readonly moves: readonly LifecycleColumn[];
    readonly sets?: StepParts['sets'] | undefined;
    /** Before the names of the states' values. */
    readonly prefix?: string;
  },
): string {
  const { moves, sets = {}, prefix = '' } = of;
  const changes = [
    'version = lifecycle.version + 1',
    ...moves.map((column) => `${column} = :${prefix}${column}`),
    ...Object.entries(sets).map(([column, value]) => `${column} = ${value}`),
  ];
  return `UPDATE lifecycle SET ${changes.join(', ')} FROM t WHERE ${asRead(of)} RETURNING lifecycle.request_id`;
}

/** The one text that hides a request of the tenant `$1` (protocol §20.7). A step that was decided before is beaten by it. */
export function hiddenRow(of: {
  readonly request: string;
  readonly from: string;
  readonly and: string;
}): string {
  return `UPDATE lifecycle x SET hidden = true, version = x.version + 1 FROM ${of.from}
    WHERE ${of.and} AND x.tenant = $1 AND x.request_id = ${of.request} AND x.hidden IS NOT TRUE`;
}

/**
 * A step whose row or consequences are not those of {@link stepStatement}: `ctes` follow the tenant's `t`, of which they
 * may read the `tenantColumns`, and make one row of `l` or none.
 */
export function customStep(
  name: string,
  parts: StepParts,
  ctes: readonly string[],
  tenantColumns = '1',
): StepStatement {
  const { moves = [], check } = parts;
  const text = `WITH t AS (
  SELECT ${tenantColumns} FROM tenant WHERE tenant = $1 AND directory_revision = $2 FOR KEY SHARE
), ${[...ctes, ...(parts.with ?? [])].join(', ')}
SELECT count(*)::integer AS saved${check === undefined ? '' : `, ${check}`} FROM l`;
  return {
    name,
    about: 'tenant',
    pointQuery: parts.pointQuery ?? false,
    ...compile(text, STEP_PARAMETERS),
    shape: parts,
    moves,
  };
}

/** CTE `l` of a step that begins a request: `from` has one row when it may, and the lifecycle row starts as `:…` says. */
export function startingRow(from: string): string {
  return `l AS (
  INSERT INTO lifecycle (tenant, request_id, version, owner, route, accepted_at, audit_delete_at, approvals_needed,
    ${STARTING_COLUMNS.join(', ')})
  SELECT $1, $3::uuid, $4::integer, :owner, :route, :accepted_at::timestamptz, :audit_delete_at::timestamptz, :approvals_needed::smallint,
    ${STARTING_COLUMNS.map((column) => `:${column}::${columnType(column)}`).join(', ')}
  FROM ${from} AND ${IN_TIME}
  RETURNING request_id
)`;
}

/** The states of {@link startingRow}: a statement with it names them as those that it moves. */
export const STARTING_COLUMNS = [
  ...(['decision', 'audit', 'grant_state', 'execution', 'revision'] as const),
  ...(['review_deadline', 'private_delete_at', 'reminded_at'] as const),
] as const satisfies readonly LifecycleColumn[];

/**
 * Signs the records of a step, saves all its results and hints to the ledger; returns the signed records. Throws
 * {@link StaleRead} when the request or the directory was moved since they were read, or a unique fact was taken: nothing
 * has happened then. Throws `legal_hold` when it would delete what a hold keeps.
 *
 * Beside its own values a statement has those of the state that it changes, of the facts that the step takes, by name, and
 * as `evidence` the id of its record that is no event.
 */
export async function commit<Signed extends NewRecord>(
  { pool, notary, chained }: Saving<Signed>,
  statement: StepStatement,
  on: ReadRequest,
  transition: Transition,
  { before = null, answer, first = [], others = [], own = {}, holds }: Step<Signed> = {},
): Promise<Signed[]> {
  const { tenant, row } = on;
  const { names, moves, shape } = statement;
  const signed = await notary.sign(tenant, on, transition.records, row.now);
  const left = {
    ...transition,
    records: [...first, ...signed, ...others],
    answer: typeof answer === 'function' ? answer(signed) : answer,
  };
  const values = {
    tenant,
    directory_revision: row.directory_revision,
    request_id: on.id,
    version: on.version,
    before: before === null ? null : new Date(before),
    ...lifecycleColumns(transition.next, moves),
    ...Object.fromEntries(transition.takes.map(({ fact, value }) => [fact, value])),
    ...(names.includes('evidence') ? { evidence: evidenceIn(signed).id } : {}),
    ...consequenceValues(left, shape),
    ...own,
  };
  await save(pool, statement, values, holds ?? `${tenant} ${on.id}`);
  if (left.records.length > 0) chained(tenant);
  return signed;
}

async function save(
  pool: Pool,
  statement: StepStatement,
  values: Values,
  holds: string,
): Promise<void> {
  try {
    const { rows } = await ask<{ saved: number }>(pool, statement, values, { holds });
    if (rows[0]?.saved !== 1) throw new StaleRead(statement.name);
  } catch (error) {
    if (isKept(error)) throw new Refusal('legal_hold', { cause: error });
    throw isBeaten(error) ? new StaleRead(statement.name, { cause: error }) : error;
  }
}

// Several requests at once ------------------------------------------------------------------------

/** One request of a batch, with the version that its step was decided with. */
export interface MovedRequest {
  readonly id: string;
  readonly version: number;
  readonly next: Lifecycle;
  readonly records: readonly NewRecord[];
}

export interface BatchStatement extends Statement {
  readonly moves: readonly LifecycleColumn[];
}

/**
 * A step of several requests of the tenant `$1`, each only from the version that it was decided with. `sets`: other columns,
 * with the SQL of their values, in which `m` has the request's `id` and one array's element for each of `each` (name and
 * type). Answers how many moved as `saved`; only the records of these are written. `whole`: all of them move or the statement
 * fails as beaten ({@link isBeaten}); a batch that may be long is whole, since no row is looked for among the others then.
 */
export function batchStatement(
  name: string,
  parts: {
    readonly moves: readonly LifecycleColumn[];
    readonly each?: Readonly<Record<string, string>>;
    readonly sets?: Readonly<Record<string, string>>;
    readonly with?: readonly string[];
    readonly whole?: boolean;
  },
): BatchStatement {
  const { moves, each = {}, sets = {}, whole = false } = parts;
  const columns = [
    ...[
      ['id', 'uuid'],
      ['version', 'integer'],
    ],
    ...moves.map((column) => [column, columnType(column)]),
    ...Object.entries(each),
  ];
  const changes = [
    'version = lifecycle.version + 1',
    ...moves.map((column) => `${column} = m.${column}`),
    ...Object.entries(sets).map(([column, value]) => `${column} = ${value}`),
  ];
  const text = `WITH l AS (
  UPDATE lifecycle SET ${changes.join(', ')}
  FROM unnest(${columns.map(([column, type]) => `:${column}::${type}[]`).join(', ')})
    AS m (${columns.map(([column]) => column).join(', ')})
  ${placed('lifecycle', 'k', 'x.request_id = m.id')}
  WHERE lifecycle.ctid = k.at AND lifecycle.version = m.version
  RETURNING lifecycle.request_id
), ${[...recordsOfRequests(whole ? undefined : 'l'), ...(parts.with ?? [])].join(', ')}
SELECT count(*)::integer AS saved${whole ? `, must(count(*) = cardinality(:id::uuid[]), 'moved')` : ''} FROM l`;
  return { moves, ...statement(name, text) };
}

/** Saves a batch and answers how many of its requests moved. `own`: the statement's other values, by name. */
export async function commitBatch(
  asking: Asking,
  batch: BatchStatement,
  tenant: string,
  moved: readonly MovedRequest[],
  own: Values = {},
): Promise<number> {
  const records = moved.flatMap(({ id, records: all }) =>
    all.map((record) => ({ requestId: id, record })),
  );
  const values = {
    tenant,
    id: moved.map(({ id }) => id),
    version: moved.map(({ version }) => version),
    ...lifecycleArrays(
      moved.map(({ next }) => next),
      batch.moves,
    ),
    ...recordsOfRequestsValues(records),
    ...own,
  };
  const { rows } = await asking.query<{ saved: number }>(asked(batch, values));
  return rows[0]?.saved ?? 0;
}

export const SAVE_RECORDS = statement(
  'database.save-records',
  `WITH ${recordsOfRequests().join(', ')} SELECT 1 AS saved`,
);

/** Saves records that come without a step, in the order given, each with the request that it is about or null. */
export async function saveRecords(
  asking: Asking,
  tenant: string,
  records: readonly { readonly requestId: string | null; readonly record: NewRecord }[],
): Promise<void> {
  await asking.query(asked(SAVE_RECORDS, { tenant, ...recordsOfRequestsValues(records) }));
}
