import { QUEUES_ROLE, createOwnerPool, migrate } from '@countersign/database';
import type { OwnerPool } from '@countersign/database';
import { migrateJobs } from '@countersign/platform/jobs';
import { PlainError } from './plain-error.js';

/** Applies the migrations that the database of that URL lacks, queues included, and returns their names. Throws PlainError. */
export function bringUpToDate(url: string): Promise<string[]> {
  return plainly(url, async () => {
    const applied = await migrate(url);
    // Without Redis the queues are here; with Redis they are unused.
    await migrateJobs(url, QUEUES_ROLE);
    return applied;
  });
}

/** Does a command's work on a database, on one connection as its owner. Throws PlainError. */
export async function asOwner<T>(
  url: string,
  command: string,
  work: (pool: OwnerPool) => Promise<T>,
): Promise<T> {
  const pool = createOwnerPool({ url, application: `countersign ${command}`, max: 1 });
  try {
    return await plainly(url, () => work(pool));
  } finally {
    await pool.end();
  }
}

/**
 * Does work on a database whose failures name the remedy in their message: those of our own rules and of the migration
 * history do; for a server that cannot be reached the address is added. Throws PlainError.
 */
export async function plainly<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || message === '') {
      const server = URL.canParse(url) ? new URL(url).host : 'that DATABASE_URL names';
      throw new PlainError(
        `The database server ${server} does not answer (${code}). Start it, or correct DATABASE_URL.`,
        { cause: error },
      );
    }
    throw new PlainError(message, { cause: error });
  }
}
