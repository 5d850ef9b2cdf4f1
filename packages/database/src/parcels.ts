import { randomUUID } from 'node:crypto';
import { PIECES_AT_ONCE, collectPieces, inPieces } from './in-pieces.js';
import type { PieceRow } from './in-pieces.js';
import { ROLES } from './pool.js';
import type { Pool, RoleName } from './pool.js';

const TAKE = {
  ...PIECES_AT_ONCE,
  name: 'parcel.take',
  text: `WITH taken AS (DELETE FROM parcel WHERE id = $1 RETURNING body)
    ${inPieces({ body: `p.body || ''::bytea` }, 'FROM taken p', 'true')}`,
};

/**
 * Bodies too large for a message, put aside for one hop. Kept as UTF-8 bytes: a large text value is three times slower.
 * A row policy shows a parcel to the role that it is for, and to no other service.
 */
export class PostgresParcels {
  /**
   * @param sender connections of any role that may send
   * @param poolOf connections of the role that a parcel is for
   */
  constructor(
    private readonly sender: Pool,
    private readonly poolOf: (taker: RoleName) => Pool,
  ) {}

  /** Returns the id to send instead of the body. */
  async put(body: string | Uint8Array, taker: RoleName): Promise<string> {
    const id = randomUUID();
    const bytes = typeof body === 'string' ? Buffer.from(body) : bufferOf(body);
    await this.sender.ofNoTenant.query({
      name: 'parcel.put',
      text: 'INSERT INTO parcel (id, body, addressee) VALUES ($1, $2, $3)',
      values: [id, bytes, ROLES[taker]],
    });
    return id;
  }

  /** Hands a body over once; throws when it was taken, swept or lost, or is for another role. */
  async take(id: string, taker: RoleName): Promise<Uint8Array> {
    const { rows } = await this.poolOf(taker).ofNoTenant.query<PieceRow>({ ...TAKE, values: [id] });
    const body = (await collectPieces(rows)).get('body');
    if (!body) throw new Error(`parcel ${id} is not there`);
    return Buffer.concat(body);
  }
}

/** The same bytes: the client knows no other kind of them. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** Removes parcels that were not taken in that time, at most 1000 at once; returns their number. */
export async function sweepParcels(pool: Pool, olderThanMs: number): Promise<number> {
  const { rowCount } = await pool.ofNoTenant.query({
    name: 'parcel.sweep',
    text: `DELETE FROM parcel WHERE id IN (
      SELECT id FROM parcel WHERE created_at < clock_timestamp() - $1 * interval '1 millisecond' LIMIT 1000
    )`,
    values: [olderThanMs],
  });
  return rowCount ?? 0;
}
