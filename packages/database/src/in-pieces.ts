import pg from 'pg';

/**
 * A long value's bytes in their order. Code that handles them yields to others between two, and none takes a thread
 * more than a millisecond.
 */
export type Pieces = readonly Uint8Array[];

const PIECE_BYTES = 128 * 1024;

/** The type of pieces alone, so that the client knows them from a statement's other columns. */
const PIECE_TYPE = { name: 'varchar', oid: pg.types.builtins.VARCHAR } as const;

/**
 * Options of the client for {@link inPieces}. So many rows are sent before it asks for more, else it would take 2 MB from the
 * socket in one turn of the loop, for each of those who read at the same time. A piece is decoded when it comes: texts that
 * wait for the last one are garbage that only a full collection takes.
 */
export const READ_IN_PIECES = {
  rows: 2,
  types: {
    getTypeParser: (oid: number) =>
      oid === PIECE_TYPE.oid ? decoded : (pg.types.getTypeParser(oid) as (text: string) => unknown),
  },
} as const;

function decoded(piece: string): Uint8Array {
  return Buffer.from(piece, 'base64');
}

/** A row of {@link inPieces}: base64 until it comes, which costs the client half as much as the digits of a bytea. */
export interface PieceRow {
  readonly name: string;
  readonly at: number;
  readonly piece: Uint8Array | null;
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
  SELECT v.name, s.at, encode(substring(v.bytes FROM s.at + 1 FOR ${PIECE_BYTES}), 'base64')::${PIECE_TYPE.name} AS piece
  ${from}
  CROSS JOIN LATERAL (VALUES ${rows.join(', ')} OFFSET 0) v (name, bytes)
  CROSS JOIN LATERAL generate_series(0, greatest(octet_length(v.bytes) - 1, 0), ${PIECE_BYTES}) s (at)
  WHERE ${where}`;
}

/** The values by name; null where one is. Empty when the statement found no row. */
export function collectPieces(rows: readonly PieceRow[]): Map<string, Pieces | null> {
  const values = new Map<string, Uint8Array[] | null>();
  for (const { name, piece } of rows.toSorted((a, b) => a.at - b.at)) {
    const before = values.get(name);
    if (piece === null) values.set(name, null);
    else if (before) before.push(piece);
    else values.set(name, [piece]);
  }
  return values;
}

/** A value that is known to be short enough for one piece of work. */
export function wholeText(value: string | Pieces): string {
  return typeof value === 'string' ? value : Buffer.concat(value).toString('utf8');
}
