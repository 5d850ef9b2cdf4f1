import pg from 'pg';
import type { Child } from './child.js';
import { drive } from './measure.js';
import type { BenchOptions } from './options.js';
import type { Side } from './side.js';

const ENOUGH_LIFECYCLES = 600;
const LEAST_SECONDS = 1;

/**
 * Drives a side until its code is compiled and its pools are full: some hundred lifecycles, but on a machine that has no
 * time for that no longer than `warmSeconds`. Then its tables are analysed, which autovacuum would do within minutes:
 * statements are still planned for the empty tables that they met first.
 */
export async function warm(
  options: Pick<BenchOptions, 'clients' | 'pauseMs' | 'warmSeconds'>,
  side: Side,
  generator: Child,
): Promise<void> {
  const { pauseMs, warmSeconds } = options;
  let done = 0;
  for (const end = Date.now() + warmSeconds * 1000; done < ENOUGH_LIFECYCLES && Date.now() < end;) {
    const clients = done === 0 ? 1 : Math.max(...options.clients);
    const { lifecycles } = await drive(generator, side, {
      clients,
      seconds: LEAST_SECONDS,
      pauseMs,
    });
    done += lifecycles;
  }
  const client = new pg.Client({ connectionString: side.databaseUrl });
  await client.connect();
  await client.query('ANALYZE');
  await client.end();
  await drive(generator, side, {
    clients: Math.max(...options.clients),
    seconds: LEAST_SECONDS,
    pauseMs,
  });
}
