import type pg from 'pg';
import { isBeaten } from './fresh-state.js';

/** How often work is begun whose transaction came to nothing because of another one. */
const MOST_ATTEMPTS = 5;

/** A service's pool in one scope, or the owner's. */
type Transacting = { connect(): Promise<pg.PoolClient> };

/**
 * Runs the work in one transaction of READ COMMITTED: every statement sees all rows committed before it began. The work is
 * done again from its start when Postgres ended the transaction because it and another one waited for each other, and when
 * another one took the same key meanwhile, which the work then finds taken.
 */
export async function inTransaction<T>(
  pool: Transacting,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(pool, work);
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isBeaten(error)) throw error;
    }
  }
}

async function once<T>(pool: Transacting, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
