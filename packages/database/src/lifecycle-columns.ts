import type { Lifecycle } from '@countersign/protocol';
import type { Values } from './statement.js';

/** The columns of `lifecycle` that hold a request's state: type, and value in the state. */
const COLUMNS = {
  decision: ['text', (state) => state.decision],
  audit: ['text', (state) => state.audit],
  grant_state: ['text', (state) => state.grant],
  execution: ['text', (state) => state.execution],
  revision: ['integer', (state) => state.revision],
  invalidated: ['text', (state) => state.invalidated],
  review_deadline: ['timestamptz', (state) => new Date(state.reviewDeadline)],
  grant_deadline: ['timestamptz', (state) => timeOf(state.grantDeadline)],
  private_delete_at: ['timestamptz', (state) => new Date(state.privateDeleteAt)],
  material_deleted: ['boolean', (state) => state.materialDeleted],
  reminded_at: ['timestamptz', (state) => timeOf(state.remindedAt)],
  admissions: ['integer', (state) => state.admissions],
} as const satisfies Record<string, readonly [string, (state: Lifecycle) => unknown]>;

export type LifecycleColumn = keyof typeof COLUMNS;

export function columnType(column: LifecycleColumn): string {
  return COLUMNS[column][0];
}

/**
 * The values of these columns for a state, by their names. A statement names the columns that its role may move; the
 * mapping from state to column is here alone. `prefix` goes before the names, where a statement moves two requests.
 */
export function lifecycleColumns(
  state: Lifecycle,
  columns: readonly LifecycleColumn[],
  prefix = '',
): Values {
  const values: Record<string, unknown> = {};
  for (const column of columns) values[prefix + column] = COLUMNS[column][1](state);
  return values;
}

/** The same of several states: an array of each column, in the order of the states. */
export function lifecycleArrays(
  states: readonly Lifecycle[],
  columns: readonly LifecycleColumn[],
): Values {
  return Object.fromEntries(
    columns.map((column) => [column, states.map((state) => COLUMNS[column][1](state))]),
  );
}

function timeOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}
