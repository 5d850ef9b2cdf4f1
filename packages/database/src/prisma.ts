import type pg from 'pg';
import type { PrismaClient } from './generated/prisma/client.js';

export type { PrismaClient };

const clients = new WeakMap<pg.Pool, Promise<PrismaClient>>();

/**
 * Prisma on connections of the database's owner, for lists, reads and plain writes. Loaded when first asked
 * for, because a process that does without should not carry it. Ending the pool ends it.
 */
export function prismaFor(pool: pg.Pool): Promise<PrismaClient> {
  let client = clients.get(pool);
  if (client === undefined) {
    client = load(pool);
    clients.set(pool, client);
  }
  return client;
}

async function load(pool: pg.Pool): Promise<PrismaClient> {
  const [generated, adapter] = await Promise.all([
    import('./generated/prisma/client.js'),
    import('@prisma/adapter-pg'),
  ]);
  return new generated.PrismaClient({ adapter: new adapter.PrismaPg(pool) });
}
