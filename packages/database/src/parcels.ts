import { randomUUID } from 'node:crypto';
import { READ_IN_PIECES, collectPieces, inPieces } from './in-pieces.js';
import type { PieceRow } from './in-pieces.js';
import { ROLES, ask } from './pool.js';
import type { Pool, RoleName } from './pool.js';
import { ofNoTenant, statements } from './statement.js';

export const PARCEL_STATEMENTS = statements('parcel', {
  put: ofNoTenant('INSERT INTO parcel (id, body, addressee) VALUES (:id, :body, :addressee)'),
  take: ofNoTenant(`WITH taken AS (DELETE FROM parcel WHERE id = :id RETURNING body)
    ${inPieces({ body: `p.body || ''::bytea` }, 'FROM taken p', 'true')}`),
});

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
    const values = { id, body: bytes, addressee: ROLES[taker] };
    await ask(this.sender, PARCEL_STATEMENTS.put, values);
    return id;
  }

  /** Hands a body over once; throws when it was taken, swept or lost, or is for another role. */
  async take(id: string, taker: RoleName): Promise<Uint8Array> {
    const statement = PARCEL_STATEMENTS.take;
    const { rows } = await ask<PieceRow>(this.poolOf(taker), statement, { id }, READ_IN_PIECES);
    const body = collectPieces(rows).get('body');
    if (!body) throw new Error(`parcel ${id} is not there`);
    return Buffer.concat(body);
  }
}

/** The same bytes: the client knows no other kind of them. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
