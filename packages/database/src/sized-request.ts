import { READ_IN_PIECES, collectPieces, inPieces, wholeText } from './in-pieces.js';
import type { PieceRow, Pieces } from './in-pieces.js';
import type { Pool } from './pool.js';
import {
  MATERIAL_JOIN,
  NOW,
  REQUEST_COLUMNS,
  REQUEST_JOINS,
  SMALL_INTEGRITY,
  WHOLE_DIGESTS,
  isLarge,
  keyed,
  loadRequest,
  materialJoin,
  materialOf,
} from './request-row.js';
import type { LoadValues, RequestRow } from './request-row.js';
import { statement } from './statement.js';
import type { Statement, Values } from './statement.js';

/** A column of up to 20 MB, with all others of its read. */
interface LongColumn {
  readonly column: string;
  readonly type: 'text' | 'bytea';
}

const MATERIAL: Readonly<Record<string, LongColumn>> = {
  payload: { column: 'm.payload', type: 'text' },
  response_schema: { column: 'm.response_schema', type: 'text' },
  review_document: { column: 'm.review_document', type: 'bytea' },
};
const BUNDLE: Readonly<Record<string, LongColumn>> = {
  bundle_html: { column: 'b.html', type: 'bytea' },
};
const BUNDLE_JOIN = keyed('bundle', 'b', 'x.id = r.bundle_id AND m.request_id IS NOT NULL');
const BUNDLE_DIGEST = `encode(sha256(b.html), 'hex')`;

/** Of a read with material. In one with a bundle, each of them is one value. */
export interface MaterialColumns {
  payload: string | Pieces | null;
  response_schema: string | Pieces | null;
  review_document: Buffer | Pieces | null;
}

/** Of a read with the bundle that the request binds, as it is stored now. */
export interface BundleColumns {
  bundle_manifest: string | null;
  bundle_html: Buffer | Pieces | null;
  /** SHA-256 of the HTML, hexadecimal. */
  bundle_digest: string | null;
}

/** A read that may be large: its small columns, and the long ones in pieces. */
export interface SizedStatement {
  readonly small: Statement;
  readonly long: Statement;
}

export interface SizedRead {
  readonly material: readonly (keyof MaterialColumns)[];
  readonly bundle: boolean;
  /** True for the callers whom Postgres reads the long columns for; those who see the request (protocol §1) when absent. */
  readonly seen?: string;
  /** Further columns, and the joins that they need. */
  readonly columns?: readonly string[];
  readonly joins?: string;
}

export function sized(
  name: string,
  { material, bundle, seen, columns = [], joins = '' }: SizedRead,
): SizedStatement {
  const large = isLarge(bundle ? 'coalesce(octet_length(b.html), 0)' : '0');
  const ofMaterial = material.map((of) => [of, MATERIAL[of] as LongColumn] as const);
  const long = [...ofMaterial, ...(bundle ? Object.entries(BUNDLE) : [])];
  const ofMaterialRow = seen === undefined ? MATERIAL_JOIN : materialJoin(seen);
  const from = `${REQUEST_JOINS} ${ofMaterialRow} ${bundle ? BUNDLE_JOIN : ''}`;
  const ifSmall = (column: string) => `CASE WHEN NOT ${large} THEN ${column} END`;
  const small = [
    REQUEST_COLUMNS,
    SMALL_INTEGRITY(large),
    ...long.map(([as, { column }]) => `${ifSmall(column)} AS ${as}`),
    ...(bundle
      ? [`b.manifest AS bundle_manifest`, `${ifSmall(BUNDLE_DIGEST)} AS bundle_digest`]
      : []),
    ...columns,
  ];
  const facts = `'now', ${NOW}, 'digests', ${WHOLE_DIGESTS}${bundle ? `, 'bundle_digest', ${BUNDLE_DIGEST}` : ''}`;
  const pieces = {
    facts: `convert_to(json_build_object(${facts})::text, 'UTF8')`,
    ...Object.fromEntries(long.map(([as, column]) => [as, bytesOf(column)])),
  };
  return {
    small: statement(
      `${name}-small`,
      `SELECT ${small.join(', ')} ${from} ${joins} WHERE t.tenant = $1`,
    ),
    long: statement(
      `${name}-long`,
      inPieces(pieces, from, 't.tenant = $1 AND m.request_id IS NOT NULL'),
    ),
  };
}

function bytesOf({ column, type }: LongColumn): string {
  return type === 'text' ? `convert_to(${column}, 'UTF8')` : `${column} || ''::bytea`;
}

/**
 * Loads it: small columns on the service's connections, and large ones, if they are wanted `whole`, in pieces on those for
 * large reads ({@link ScopedPool.large}).
 */
export async function loadSized<Row extends RequestRow>(
  pool: Pool,
  { small, long }: SizedStatement,
  whole: boolean,
  values: LoadValues & Values,
): Promise<Row | undefined> {
  const row = await loadRequest<Row>(pool, small, values);
  if (!whole || row?.is_large !== true) return row;
  const asked = { ...READ_IN_PIECES, ...materialOf(long, values) };
  const { rows } = await pool.of(values.tenant).large<PieceRow>(asked);
  const { facts, ...found } = Object.fromEntries(collectPieces(rows));
  // Deleted meanwhile, or no longer for the caller: the row that says so is another one.
  if (!facts) return loadRequest<Row>(pool, small, values);
  return Object.assign(row, found, JSON.parse(wholeText(facts)));
}
