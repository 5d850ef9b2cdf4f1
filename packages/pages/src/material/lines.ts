/** One row of a long text: a part of it, its line, and whether it begins that line. */
export interface TextRow {
  readonly line: number;
  readonly begins: boolean;
  readonly text: string;
}

/**
 * A text in rows of at most `columns` columns, without a copy of it: characters from U+1100 on count as two. Nothing is
 * left out; the rows of a line put together are the line.
 */
export class TextRows {
  private readonly starts: number[] = [];
  private readonly lines: number[] = [];

  constructor(
    private readonly text: string,
    columns: number,
  ) {
    let line = 0;
    let width = 0;
    this.row(0, line);
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x0a) {
        line += 1;
        width = 0;
        this.row(at + 1, line);
        continue;
      }
      const more = code < 0x1100 ? 1 : 2;
      const second = code >= 0xdc00 && code < 0xe000;
      if (width + more > columns && width > 0 && !second) {
        this.row(at, line);
        width = 0;
      }
      width += second ? 0 : more;
    }
  }

  get length(): number {
    return this.starts.length;
  }

  get lineCount(): number {
    return (this.lines.at(-1) ?? 0) + 1;
  }

  rows(from: number, count: number): TextRow[] {
    const rows: TextRow[] = [];
    for (let at = from; at < Math.min(this.starts.length, from + count); at += 1) {
      const start = this.starts[at] as number;
      const next = this.starts[at + 1];
      const line = this.lines[at] as number;
      const ends = next === undefined || this.lines[at + 1] !== line;
      const end = next === undefined ? this.text.length : ends ? next - 1 : next;
      const begins = at === 0 || this.lines[at - 1] !== line;
      rows.push({ line, begins, text: this.text.slice(start, end) });
    }
    return rows;
  }

  /** The row that holds the character at `place`. */
  rowAt(place: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] as number) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private row(start: number, line: number): void {
    this.starts.push(start);
    this.lines.push(line);
  }
}

const OCCURRENCES = 10_000;

/** The occurrences of `wanted` in a text, ignoring case, at most 10,000. */
export function occurrences(text: string, wanted: string): number[] {
  if (wanted === '') return [];
  const found: number[] = [];
  // Letters whose lower case is longer would shift later positions: those texts are searched as they are.
  const lower = text.toLowerCase();
  const [where, what] =
    lower.length === text.length ? [lower, wanted.toLowerCase()] : [text, wanted];
  for (
    let at = where.indexOf(what);
    at >= 0 && found.length < OCCURRENCES;
    at = where.indexOf(what, at + what.length)
  ) {
    found.push(at);
  }
  return found;
}
