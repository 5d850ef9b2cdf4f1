import type pg from 'pg';
import { valuesFor } from '@countersign/database';
import type { Statement, Values } from '@countersign/database';
import { valueOf } from './named.js';

/** A node of Postgres' plan in JSON, as far as we look at it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Filter?: string;
  /** Of one loop; only of plans that were run. */
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface Plan {
  readonly Plan: PlanNode;
  readonly 'Execution Time'?: number;
}

/** How one table is read at one place of a plan. */
export interface Scan {
  readonly table: string;
  /** Null: all of the table. */
  readonly index: string | null;
  /** Columns of the table that the walk along the index starts or ends by, in the order of their names. */
  readonly by: readonly string[];
  /** Columns of the table that are only looked at row by row. */
  readonly filtered: readonly string[];
  /** Whether something above stops after so many rows, without a sort in between that wants them all. */
  readonly limited: boolean;
  /** Rows that were looked at, kept or not; null when it was not run. */
  readonly rows: number | null;
}

/**
 * The plan that services get: of the prepared statement, for any values. `run` also executes it, with these values or with
 * some that are made up. The client must have the settings of the service's connections.
 */
export async function explain(
  client: pg.ClientBase,
  { text, names }: Pick<Statement, 'text' | 'names'>,
  { run = false }: { readonly run?: boolean | Values } = {},
): Promise<Plan> {
  const options = run === false ? 'VERBOSE' : 'ANALYZE, BUFFERS, TIMING OFF, VERBOSE';
  await client.query(`PREPARE explained AS ${text}`);
  try {
    const given = await argumentsOf(client, names, run);
    const arguments_ = given.map(literal).join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': [Plan] }>(
      `EXPLAIN (${options}, FORMAT JSON) EXECUTE explained${arguments_ === '' ? '' : `(${arguments_})`}`,
    );
    return (rows[0] as { 'QUERY PLAN': [Plan] })['QUERY PLAN'][0];
  } finally {
    // In a transaction that has failed it stays: the caller ends it.
    await client.query('DEALLOCATE explained').catch(() => {});
  }
}

/** Values for the parameters of the statement that is prepared; null for one that is not run. */
async function argumentsOf(
  client: pg.ClientBase,
  names: readonly string[],
  run: boolean | Values,
): Promise<unknown[]> {
  if (run === false) return names.map(() => null);
  if (run !== true) return valuesFor(names, run);
  const { rows } = await client.query<{ types: string[] }>(
    `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'explained'`,
  );
  return (rows[0]?.types ?? []).map((type, at) => valueOf(names[at] as string, type));
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return literal(value.toISOString());
  if (Array.isArray(value)) return literal(`{${value.map((of) => JSON.stringify(of)).join(',')}}`);
  return `'${String(value).replaceAll("'", "''")}'`;
}

const SCANS = /Scan$/;
/** The row policy of tenants (decisions/0023): of rows of one's own tenant it passes over none. */
const SCOPE =
  /\(\(current_setting\('countersign\.tenant'::text, true\) = (?:\w+\.)?tenant\) OR \(current_setting\('countersign\.tenant'::text, true\) = '\*'::text\)\)/g;
const WANTS_ALL = /^(Sort|Aggregate|Hash|WindowAgg|SetOp)$/;

/** Every place where a plan reads a table. `limited` as above, for a part of a plan. */
export function scansOf(node: PlanNode, limited = false): Scan[] {
  const type = node['Node Type'];
  const below = WANTS_ALL.test(type) ? false : limited || type === 'Limit';
  const table = node['Relation Name'];
  if (table === undefined || !SCANS.test(type)) {
    return (node.Plans ?? []).flatMap((child) => scansOf(child, below));
  }
  const indexes = indexesBelow(node);
  const alias = node.Alias ?? table;
  return [
    {
      table,
      index:
        type === 'Tid Scan' ? 'ctid' : indexes.map((of) => of['Index Name']).join(' + ') || null,
      by: columnsOf(alias, indexes.map((of) => of['Index Cond'] ?? '').join(' ')),
      filtered: columnsOf(alias, (node.Filter ?? '').replace(SCOPE, 'true')),
      limited: below,
      rows: rowsOf(node),
    },
    // The sub-plans of the condition itself.
    ...(node.Plans ?? []).filter((child) => !isPart(child)).flatMap((child) => scansOf(child)),
  ];
}

/** The node itself, or the nodes below a bitmap. */
function indexesBelow(node: PlanNode): PlanNode[] {
  const own = node['Index Name'] === undefined ? [] : [node];
  return [...own, ...(node.Plans ?? []).filter(isPart).flatMap(indexesBelow)];
}

/** Of the scan itself; a sub-plan of its conditions is a plan of its own. */
function isPart(child: PlanNode): boolean {
  return !/Plan$/.test(child['Parent Relationship'] ?? '');
}

/**
 * Columns behind this alias in a condition. The condition of a bitmap's index has no aliases, but then it has no columns
 * of other tables on its left sides.
 */
function columnsOf(alias: string, condition: string): string[] {
  const named = condition.matchAll(/(?<![\w.$'])(?:(\w+)\.)?([a-z_]+)\b(?![('.])/g);
  const own = [...named].filter(([, of]) => of === alias).map(([, , column]) => column as string);
  return [...new Set(own)].sort();
}

function rowsOf(node: PlanNode): number | null {
  if (node['Actual Rows'] === undefined || node['Actual Loops'] === 0) return null;
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  return Math.round(each * (node['Actual Loops'] ?? 1));
}
