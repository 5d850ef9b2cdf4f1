import { StaleRead, isBeaten } from './fresh-state.js';
import { ask } from './pool.js';
import type { Pool, Statement } from './pool.js';
import { ANY_STEP } from './step-form.js';
import type { StepForm, Transit } from './step-form.js';

/** The service's own part of a step. */
export interface StepParts {
  /** What the service may move, in the order of its own parameters. */
  readonly columns: readonly string[];
  /** CTEs of its own that read from `l`; they use the parameters after those of the columns. */
  readonly with?: readonly string[];
  readonly check?: string;
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
  SELECT 1 FROM tenant WHERE tenant = $1 AND directory_revision = $2 FOR KEY SHARE
), l AS (
  UPDATE lifecycle SET ${['version = version + 1', ...set].join(', ')}
  FROM t
  WHERE lifecycle.tenant = $1 AND lifecycle.request_id = $3::uuid AND lifecycle.version = $4
    AND ($5::timestamptz IS NULL OR clock_timestamp() < $5)
  RETURNING lifecycle.request_id
), ${[form.consequences(), ...(parts.with ?? [])].join(', ')}
SELECT count(*)::integer AS saved${parts.check === undefined ? '' : `, ${parts.check}`} FROM l`;
  return { name, text, form, brief: parts.brief ?? false };
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
): Promise<void> {
  try {
    const values = statement.form.values(transit, own);
    const ofTenant = pool.of(transit.tenant);
    const { rows } = await ask<{ saved: number }>(ofTenant, statement, values, holds);
    if (rows[0]?.saved !== 1) throw new StaleRead(statement.name);
  } catch (error) {
    throw isBeaten(error) ? new StaleRead(statement.name, { cause: error }) : error;
  }
}
