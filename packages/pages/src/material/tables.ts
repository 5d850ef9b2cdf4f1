/** Rows of like objects within a payload. */
export interface TableHead {
  /** Names of members on the way to it; none when the payload itself is the table. */
  readonly path: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: number;
}

export interface Column {
  readonly name: string;
  /** Every value in it is a number. */
  readonly numeric: boolean;
  /** Width in characters. */
  readonly width: number;
}

export interface Cell {
  /** The value, or the beginning of it. */
  readonly text: string;
  /** Characters that are left out. */
  readonly hidden: number;
  readonly numeric: boolean;
}

export interface TableOrder {
  readonly column: number;
  readonly down: boolean;
}

export interface TablePage {
  /** Each with its place in the payload, from 0. */
  readonly rows: readonly { readonly place: number; readonly cells: readonly Cell[] }[];
  /** Rows that match the search. */
  readonly length: number;
  /** By column, of the rows that match; null where a sum says nothing. */
  readonly sums: readonly (string | null)[];
}

const MOST = { tables: 8, columns: 24, depth: 4 } as const;
/** Rows by which the columns and their widths are found. */
const SAMPLE = 500;
const SHOWN = 120;
const WIDTHS = { least: 5, most: 42 } as const;
/** Titles are bold, and have the mark of the order behind them. */
const TITLE_SPARE = 4;
/** Numbers that name something are not added up. */
const NAMES = /(^|[_\s-])(id|ids|no|nr|num|number|code|year|index|line|row|position|port|zip)$/i;

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The tables of a payload, in the order of its members. */
export function tablesIn(payload: unknown): PayloadTable[] {
  const found: PayloadTable[] = [];
  const walk = (value: unknown, path: readonly string[]) => {
    if (found.length >= MOST.tables || path.length > MOST.depth) return;
    if (Array.isArray(value)) {
      const table = tableOf(value, path);
      if (table) found.push(table);
    } else if (isRow(value)) {
      for (const name of Object.keys(value).slice(0, 200)) walk(value[name], [...path, name]);
    }
  };
  walk(payload, []);
  return found;
}

function tableOf(values: readonly unknown[], path: readonly string[]): PayloadTable | null {
  if (values.length < 2 || !values.every(isRow)) return null;
  const rows = values as readonly Row[];
  const counts = new Map<string, number>();
  const sample = rows.slice(0, SAMPLE);
  for (const row of sample) {
    for (const name of Object.keys(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (counts.size > MOST.columns) return null;
  }
  // Alike: most members are in most rows.
  const usual = [...counts.values()].filter((count) => count * 2 > sample.length).length;
  if (usual === 0 || usual * 2 < counts.size) return null;
  // A member of a later row would not be shown.
  if (!rows.every((row) => Object.keys(row).every((name) => counts.has(name)))) return null;
  return new PayloadTable(path, [...counts.keys()], rows);
}

export class PayloadTable {
  readonly head: TableHead;
  private shown: readonly number[];
  private asked = '';

  constructor(
    path: readonly string[],
    private readonly names: readonly string[],
    private readonly rows: readonly Row[],
  ) {
    const sample = rows.slice(0, SAMPLE);
    const columns = names.map((name): Column => {
      const lengths = sample.map((row) => textOf(own(row, name)).length);
      const width = Math.max(name.length + TITLE_SPARE, ...lengths);
      const numeric = rows.every((row) => ['number', 'undefined'].includes(typeof own(row, name)));
      return { name, numeric, width: Math.min(WIDTHS.most, Math.max(WIDTHS.least, width)) };
    });
    this.head = { path, columns, rows: rows.length };
    this.shown = rows.map((_row, at) => at);
  }

  /** Rows that hold `text` in any of their values, in an order; ties as in the payload. */
  page(from: number, count: number, text: string, order: TableOrder | null): TablePage {
    const asked = JSON.stringify([text, order]);
    if (asked !== this.asked) {
      this.asked = asked;
      this.shown = this.sorted(this.matching(text.toLowerCase()), order);
    }
    const { shown, names, head } = this;
    return {
      rows: shown.slice(from, from + count).map((place) => ({
        place,
        cells: names.map((name) => cellOf(own(this.rows[place] as Row, name))),
      })),
      length: shown.length,
      sums: head.columns.map((column) => (column.numeric ? this.sum(column.name) : null)),
    };
  }

  private matching(text: string): number[] {
    const all = this.rows.map((_row, at) => at);
    if (text === '') return all;
    return all.filter((at) =>
      this.names.some((name) =>
        textOf(own(this.rows[at] as Row, name))
          .toLowerCase()
          .includes(text),
      ),
    );
  }

  private sorted(places: number[], order: TableOrder | null): number[] {
    const name = order && this.names[order.column];
    if (!order || name === undefined || name === null) return places;
    const sign = order.down ? -1 : 1;
    const values = new Map(places.map((at) => [at, own(this.rows[at] as Row, name)]));
    return places.sort((a, b) => sign * compared(values.get(a), values.get(b)) || a - b);
  }

  /** Exactly, in the decimals that the numbers are written with. */
  private sum(name: string): string | null {
    if (NAMES.test(name) || this.shown.length < 2) return null;
    let decimals = 0;
    const values: number[] = [];
    for (const at of this.shown) {
      const value = own(this.rows[at] as Row, name);
      if (typeof value !== 'number') continue;
      const written = String(value);
      if (/e/i.test(written)) return null;
      decimals = Math.max(decimals, written.split('.')[1]?.length ?? 0);
      values.push(value);
    }
    let whole = 0n;
    for (const value of values) {
      const [units = '', part = ''] = String(value).split('.');
      whole += BigInt(units + part.padEnd(decimals, '0'));
    }
    const digits = (whole < 0n ? -whole : whole).toString().padStart(decimals + 1, '0');
    const point = digits.length - decimals;
    const text = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
    return whole < 0n ? `-${text}` : text;
  }
}

/** Numbers before texts, what is missing last. */
function compared(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [one, other] = [rank(a), rank(b)];
  if (one !== other) return one - other;
  const [left, right] = [textOf(a), textOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const rank = (value: unknown) => (value === undefined ? 2 : typeof value === 'number' ? 0 : 1);

function own(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

function cellOf(value: unknown): Cell {
  const whole = textOf(value);
  const line = whole.slice(0, SHOWN).replace(/\n[^]*/, '');
  return { text: line, hidden: whole.length - line.length, numeric: typeof value === 'number' };
}
