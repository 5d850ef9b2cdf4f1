import { setImmediate } from 'node:timers/promises';

/**
 * A long value's bytes in their order. Code that handles them yields to others between two, and none takes a thread
 * more than a millisecond.
 */
export type Pieces = readonly Uint8Array[];

const PIECE_BYTES = 128 * 1024;

/**
 * An option of the client's: so many rows are sent before it asks for more. Else it would take 2 MB from the socket in one
 * turn of the loop, for each of those who read at the same time.
 */
export const PIECES_AT_ONCE = { rows: 2 } as const;

/** A row of {@link inPieces}: base64, which costs the client half as much as the hexadecimal digits of a bytea. */
export interface PieceRow {
  readonly name: string;
  readonly at: number;
  readonly piece: string | null;
}

/**
 * A statement that gives each of the values as rows of one piece: the client takes a row apart at once, however long it is.
 * `values`: by name, expressions of type bytea that are no plain columns, so that Postgres reads the stored value once and
 * not for every piece. `from`: all that follows the columns, up to WHERE.
 */
export function inPieces(
  values: Readonly<Record<string, string>>,
  from: string,
  where: string,
): string {
  const rows = Object.entries(values).map(([name, bytes]) => `('${name}', ${bytes})`);
  return `
  SELECT v.name, s.at, encode(substring(v.bytes FROM s.at + 1 FOR ${PIECE_BYTES}), 'base64') AS piece
  ${from}
  CROSS JOIN LATERAL (VALUES ${rows.join(', ')} OFFSET 0) v (name, bytes)
  CROSS JOIN LATERAL generate_series(0, greatest(octet_length(v.bytes) - 1, 0), ${PIECE_BYTES}) s (at)
  WHERE ${where}`;
}

/** The values by name; null where one is. Empty when the statement found no row. */
export async function collectPieces(
  rows: readonly PieceRow[],
): Promise<Map<string, Pieces | null>> {
  const values = new Map<string, Buffer[] | null>();
  for (const { name, piece } of rows.toSorted((a, b) => a.at - b.at)) {
    if (piece === null) {
      values.set(name, null);
      continue;
    }
    const before = values.get(name) ?? [];
    before.push(Buffer.from(piece, 'base64'));
    values.set(name, before);
    // A whole value at once takes tens of milliseconds.
    if (before.length > 1) await setImmediate();
  }
  return values;
}

/** A value that is known to be short enough for one piece of work. */
export function wholeText(value: string | Pieces): string {
  return typeof value === 'string' ? value : Buffer.concat(value).toString('utf8');
}
