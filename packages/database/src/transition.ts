import { StaleRead, isBeaten } from './fresh-state.js';
import { ask } from './pool.js';
import type { Pool, Statement } from './pool.js';
import { FENCED_COLUMN, marksOf } from './request-row.js';
import { ANY_STEP } from './step-form.js';
import type { StepForm, Transit } from './step-form.js';

/** The service's own part of a step. */
export interface StepParts {
  /** What the service may move, in the order of its own parameters. */
  readonly columns: readonly string[];
  /** CTEs of its own that read from `l`; they use the parameters after those of the columns. */
  readonly with?: readonly string[];
  readonly check?: string;
  /** What must hold beside the version. */
  readonly where?: string;
  /** See {@link Statement}. */
  readonly brief?: boolean;
}

/** A prepared statement that saves a step. */
export interface StepStatement extends Statement {
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
  return { name, text, form, brief: parts.brief ?? false };
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

/** What a statement that recalls tells of what it wrote. */
export interface Saved {
  /** The `mark` of every row that it wrote. */
  readonly mark: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Runs a prepared transition with the service's own values; throws {@link StaleRead} when it had no effect. `holds`: what it
 * locks, where that is not the request's row.
 */
export async function saveTransition(
  pool: Pool,
  statement: StepStatement,
  transit: Transit,
  own: readonly unknown[],
  holds = `${transit.tenant} ${transit.requestId}`,
): Promise<Saved> {
  try {
    const values = statement.form.values(transit, own);
    const { rows } = await ask<Saved & { saved: number }>(pool, statement, values, holds);
    const [saved] = rows;
    if (saved?.saved !== 1) throw new StaleRead(statement.name);
    return saved;
  } catch (error) {
    throw isBeaten(error) ? new StaleRead(statement.name, { cause: error }) : error;
  }
}
