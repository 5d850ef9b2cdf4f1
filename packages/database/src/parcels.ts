import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/**
 * Bodies too large for a message, put aside for one hop. Kept as UTF-8 bytes: a large text value is three times slower.
 */
export class PostgresParcels {
  constructor(private readonly pool: pg.Pool) {}

  /** Returns the id to send instead of the body. */
  async put(body: string): Promise<string> {
    const id = randomUUID();
    await this.pool.query({
      name: 'parcel.put',
      text: 'INSERT INTO parcel (id, body) VALUES ($1, $2)',
      values: [id, Buffer.from(body, 'utf8')],
    });
    return id;
  }

  /** Hands a body over once; throws when it was taken, swept or lost. */
  async take(id: string): Promise<string> {
    const { rows } = await this.pool.query<{ body: Buffer }>({
      name: 'parcel.take',
      text: 'DELETE FROM parcel WHERE id = $1 RETURNING body',
      values: [id],
      // The bytes themselves instead of their hexadecimal form.
      binary: true,
    } as pg.QueryConfig);
    const [row] = rows;
    if (row === undefined) throw new Error(`parcel ${id} is not there`);
    return row.body.toString('utf8');
  }
}

/** Removes parcels that nobody took in that time, at most 1000 at once; returns how many. */
export async function sweepParcels(pool: pg.Pool, olderThanMs: number): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'parcel.sweep',
    text: `DELETE FROM parcel WHERE id IN (
      SELECT id FROM parcel WHERE created_at < clock_timestamp() - $1 * interval '1 millisecond' LIMIT 1000
    )`,
    values: [olderThanMs],
  });
  return rowCount ?? 0;
}
