import { migrate } from '@countersign/database';
import { PlainError } from '../plain-error.js';

/**
 * Applies the migrations that the database of that URL lacks and returns their names. Throws PlainError, for the
 * reasons say what to do.
 */
export async function bringUpToDate(url: string): Promise<string[]> {
  try {
    return await migrate(url);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const server = URL.canParse(url) ? ` ${new URL(url).host}` : '';
    throw new PlainError(
      message === '' || code === 'ECONNREFUSED'
        ? `The database server${server} does not answer (${code}). Start it, or correct DATABASE_URL.`
        : `The database${server} cannot be used: ${message}`,
      { cause: error },
    );
  }
}
