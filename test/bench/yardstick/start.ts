import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '@countersign/dev-servers';
import { forkChild } from '../child.js';
import type { Child } from '../child.js';
import type { Ends } from '../ends.js';
import type { Side } from '../side.js';
import { YARDSTICK_SCHEMA } from './schema.js';

/** The yardstick in a process of its own, on a server of the same kind and with the same settings as the product's. */
export async function startYardstick(folder: string, ends: Ends): Promise<Side> {
  const postgres = await startPostgres({ dir: join(folder, 'yardstick-postgres') });
  ends.push(() => postgres.stop());
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(YARDSTICK_SCHEMA);
  await client.end();

  const server: Child = forkChild('./yardstick/server.js');
  ends.push(() => server.stop());
  server.send({ databaseUrl: postgres.url });
  const { origin } = await server.next<{ origin: string }>();
  return {
    name: 'yardstick',
    target: { origin, producer: {}, reviewers: [{}], route: 'execution', waits: false },
    roots: [server.pid, postgres.pid],
    databaseUrl: postgres.url,
  };
}
