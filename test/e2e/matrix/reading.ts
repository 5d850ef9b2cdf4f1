import {
  ABBREVIATIONS,
  AUTHORITY,
  CALLERS,
  COLLECTIONS,
  EXCEPTIONS,
  EXECUTION,
  FENCED,
  OPERATION_GROUPS,
  RECORDS,
  REPLAYS,
  REVIEW,
  SITUATIONS,
} from './table.js';

export interface States {
  readonly decision: string;
  readonly audit: string;
  readonly grant: string;
  readonly execution: string;
}

export interface Situation {
  readonly name: string;
  readonly purpose: 'review' | 'authorise_execution';
  readonly states: States;
  readonly gone: boolean;
  readonly fenced: boolean;
  readonly steps: readonly string[];
  /** Of the table of §5.6; '' where it does not apply. */
  readonly line: string;
}

/** The expected answer of a call; `moves` are the states that a success changes, `@` for the reported status. */
export interface Expected {
  readonly status: number;
  readonly code: string | null;
  readonly moves: Partial<States>;
  /** Of a list: the request must not be in it. */
  readonly unlisted: boolean;
  readonly text: string;
}

type Row = Readonly<Record<string, string>>;

/** The rows of a table by the names of its columns; a first cell may name several things, apart by commas. */
function rowsOf(table: string): readonly Row[] {
  const [head = [], ...rows] = table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  return rows.map((cells) => {
    if (cells.length !== head.length) throw new Error(`${cells[0]}: ${cells.length} cells`);
    return Object.fromEntries(head.map((name, place) => [name, cells[place] ?? '']));
  });
}

function byOperation(table: string, column: string): ReadonlyMap<string, Row> {
  return new Map(
    rowsOf(table).flatMap((row) => (row[column] ?? '').split(', ').map((name) => [name, row])),
  );
}

const TABLES = {
  review: byOperation(REVIEW, 'operation'),
  authorise_execution: byOperation(EXECUTION, 'operation'),
};
const LINES = new Map(rowsOf(AUTHORITY).map((row) => [row['line'], row]));
const WHO = new Map(rowsOf(CALLERS).map((row) => [row['caller'] ?? '', row]));
const BARRED = byOperation(FENCED, 'operation');
const WRITTEN = byOperation(RECORDS, 'operation');
const EXCEPTIONAL = rowsOf(EXCEPTIONS);
const AGAIN = byOperation(REPLAYS, 'call');
const GROUP_OF = new Map(
  Object.entries(OPERATION_GROUPS).flatMap(([group, names]) => names.map((name) => [name, group])),
);

export const OPERATIONS: readonly string[] = [...GROUP_OF.keys()];
export const CALLER_NAMES: readonly string[] = [...WHO.keys()];
export const ALL_SITUATIONS: readonly Situation[] = rowsOf(SITUATIONS).map(situationOf);

function situationOf(row: Row): Situation {
  const state = (name: string) => (row[name] ?? '').replace(/^-$/, 'not_applicable');
  const name = row['situation'] ?? '';
  const line = row['§5.6'] ?? '';
  if (line !== '' && !LINES.has(line)) throw new Error(`${name}: no line ${line}`);
  return {
    name,
    purpose: name.startsWith('review:') ? 'review' : 'authorise_execution',
    states: {
      decision: state('decision'),
      audit: state('audit'),
      grant: state('grant'),
      execution: state('execution'),
    },
    gone: row['material'] === 'gone',
    fenced: false,
    steps: (row['reached by'] ?? '').split(', ').filter((step) => step !== ''),
    line,
  };
}

/** The same in a tenant whose anchor store contradicts its ledger. */
export function fencedSituation(situation: Situation): Situation {
  const states = { ...situation.states, audit: 'conflict' };
  return { ...situation, states, fenced: true };
}

/** The cell of the tables for a call; null where they have no such cell. */
export function expectationOf(
  situation: Situation,
  operation: string,
  caller: string,
): Expected | null {
  const group = GROUP_OF.get(operation) ?? '';
  const permitted = WHO.get(caller)?.[group];
  if (permitted === undefined) throw new Error(`no cell for ${caller}, ${operation}`);
  const cell = stateCell(situation, operation, caller);
  if (cell === null) return null;
  if (permitted !== 'yes') return expected(permitted, situation);
  const { fenced, purpose } = situation;
  const barred = fenced && purpose !== 'review' ? BARRED.get(operation)?.['answer'] : undefined;
  return expected(barred ?? cell, situation);
}

function stateCell(situation: Situation, operation: string, caller: string): string | null {
  const exception = EXCEPTIONAL.find(
    (row) =>
      row['situation'] === situation.name &&
      row['operation'] === operation &&
      (row['caller'] === '*' || row['caller'] === caller),
  );
  if (exception !== undefined) return exception['answer'] ?? '';
  // Only an outcome on record can be reported again.
  if (operation === 'outcomes again' && situation.line === '') return null;
  const row = TABLES[situation.purpose].get(operation);
  const cell = operation === 'outcomes again' ? '§5.6' : row?.[situation.states.decision];
  if (cell === undefined) throw new Error(`no cell for ${situation.name}, ${operation}`);
  const found = cell === '§5.6' ? (LINES.get(situation.line)?.[operation] ?? '') : cell;
  return found === '-' ? null : found;
}

function expected(cell: string, situation: Situation): Expected {
  const text = alternative(cell, situation);
  if (text === 'unlisted') {
    return { status: 200, code: null, moves: {}, unlisted: true, text };
  }
  const read = /^(\d{3})(?: (.+))?$/.exec(ABBREVIATIONS[text] ?? text);
  if (read === null) throw new Error(`no meaning for ${text}`);
  const [, status, rest = ''] = read;
  if (Number(status) >= 400) {
    if (!/^[a-z_A-Z]+$/.test(rest)) throw new Error(`no code in ${text}`);
    return { status: Number(status), code: rest, moves: {}, unlisted: false, text };
  }
  return {
    status: Number(status),
    code: null,
    moves: movesIn(rest, situation),
    unlisted: false,
    text,
  };
}

/** `200; gone: …; claimed: …`: the alternative that the situation calls for, else the first. */
function alternative(cell: string, { gone, states }: Situation): string {
  const [usual = '', ...others] = cell.split('; ');
  const claimed = !['unclaimed', 'not_applicable'].includes(states.execution);
  for (const other of others) {
    const [, condition, text = ''] = /^(gone|claimed): (.+)$/.exec(other) ?? [];
    if (condition === undefined) throw new Error(`no condition in ${other}`);
    if (condition === 'gone' ? gone : claimed) return text;
  }
  return usual;
}

function movesIn(text: string, { states, fenced }: Situation): Partial<States> {
  const unused = ['pending_anchor', 'available'].includes(states.grant);
  const moves = [...text.matchAll(/(unused )?(decision|audit|grant|execution)→(\S+)/g)];
  if (moves.map(([whole]) => whole).join(' ') !== text) throw new Error(`no moves in ${text}`);
  return Object.fromEntries(
    moves
      .filter(
        ([, ifUnused, machine]) =>
          (ifUnused === undefined || unused) && !(fenced && machine === 'audit'),
      )
      .map(([, , machine, to]) => [machine, to]),
  );
}

/** Records and reasons of events that a success writes. */
export function recordsOf(operation: string): readonly string[] {
  const cell = WRITTEN.get(operation)?.['records'];
  if (cell === undefined) throw new Error(`no records of ${operation}`);
  return cell.split(', ').filter((record) => record !== '');
}

export interface CollectionCell {
  readonly operation: string;
  readonly caller: string;
  readonly expected: Expected;
}

export const COLLECTION_CELLS: readonly CollectionCell[] = rowsOf(COLLECTIONS).flatMap(
  ({ caller = '', ...cells }) =>
    Object.entries(cells).flatMap(([operations, cell]) =>
      operations.split(', ').map((operation) => ({
        operation,
        caller,
        expected: expected(cell, ALL_SITUATIONS[0] as Situation),
      })),
    ),
);

/** The expected answer of a step's repeated call: `stored`, or a refusal. */
export function replayOf(situation: Situation, call: string, sameBody: boolean): Expected | null {
  const row = AGAIN.get(call);
  if (row === undefined) throw new Error(`no replay of ${call}`);
  const cell = sameBody
    ? row[situation.gone ? 'material gone' : 'material kept']
    : row['with another body'];
  return cell === undefined || cell === 'stored' ? null : expected(cell, situation);
}

/** The faults of the tables themselves: rows that name nothing, operations that a table forgets. */
export function tableFaults(): readonly string[] {
  const situations = new Set(ALL_SITUATIONS.map(({ name }) => name));
  const known = (name: string, set: ReadonlySet<string>, what: string) =>
    set.has(name) || name === '*' ? [] : [`${what} ${name}`];
  const tabled = OPERATIONS.filter((name) => name !== 'outcomes again');
  return [
    ...EXCEPTIONAL.flatMap((row) => [
      ...known(row['situation'] ?? '', situations, 'exception for'),
      ...known(row['operation'] ?? '', new Set(OPERATIONS), 'exception for'),
      ...known(row['caller'] ?? '', new Set(CALLER_NAMES), 'exception for'),
    ]),
    ...Object.values(TABLES).flatMap((table) => [
      ...tabled.filter((name) => !table.has(name)).map((name) => `no row ${name}`),
      ...[...table.keys()].flatMap((name) => known(name, new Set(tabled), 'row')),
    ]),
    ...[...LINES.keys()]
      .filter((line) => !ALL_SITUATIONS.some((situation) => situation.line === line))
      .map((line) => `no situation at ${line}`),
    ...(situations.size === ALL_SITUATIONS.length ? [] : ['a situation twice']),
    ...COLLECTION_CELLS.flatMap(({ caller }) => known(caller, new Set(CALLER_NAMES), 'caller')),
  ];
}
