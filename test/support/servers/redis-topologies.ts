import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startRedis } from '@countersign/dev-servers';
import type { RunningStore } from '@countersign/dev-servers';
import { Redis } from 'ioredis';
import { allOrNone } from '../started.js';
import type { Started } from '../started.js';

export interface RedisTopology {
  /** Those that a client is told. */
  readonly urls: readonly string[];
  /** Every server that holds data; with Sentinels the primary is the first. */
  readonly servers: readonly RunningStore[];
  stop(): Promise<void>;
}

/** A primary with one replica, both asking for `password`, and a Sentinel that calls the primary `main`. */
export function startSentinel(dir: string, password: string): Promise<RedisTopology> {
  return allOrNone((started) => startWithSentinel(started, dir, password));
}

async function startWithSentinel(
  started: Started,
  dir: string,
  password: string,
): Promise<RedisTopology> {
  const start = (options: Parameters<typeof startRedis>[0]): Promise<RunningStore> =>
    started.keep(startRedis(options), ({ kill }) => kill());
  const primary = await start({ dir: join(dir, 'primary') });
  const replica = await start({
    dir: join(dir, 'replica'),
    settings: { replicaof: `127.0.0.1 ${primary.port}`, masterauth: password },
  });
  for (const { url } of [primary, replica]) await protect(url, password);
  const port = await freePort();
  const file = join(dir, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `port ${port}`,
      `dir ${dir}`,
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      `sentinel auth-pass main "${password}"`,
      'sentinel down-after-milliseconds main 1000',
      'sentinel failover-timeout main 10000',
    ].join('\n'),
  );
  const url = `redis://127.0.0.1:${port}`;
  await start({ dir, port, sentinel: file, log: join(dir, 'sentinel.log') });
  await within(url, untilReplicaKnown);
  return { urls: [url], servers: [primary, replica], stop: started.stop };
}

/** Has a server ask for a password, and know it as a replica of others. */
export function protect(url: string, password: string): Promise<void> {
  return within(url, async (client) => {
    await client.config('SET', 'masterauth', password);
    await client.config('SET', 'requirepass', password);
  });
}

async function untilReplicaKnown(client: Redis): Promise<void> {
  while (((await client.call('SENTINEL', 'REPLICAS', 'main')) as unknown[]).length === 0);
}

const SLOTS = 16_384;

/** Three primaries that share the slots. */
export async function startRedisCluster(dir: string): Promise<RedisTopology> {
  const servers = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      startRedis({ dir: join(dir, name), settings: { 'cluster-enabled': 'yes' } }),
    ),
  );
  const [first] = servers as [RunningStore];
  const share = Math.ceil(SLOTS / servers.length);
  for (const [place, { url }] of servers.entries()) {
    const last = Math.min(SLOTS, (place + 1) * share) - 1;
    await within(url, async (client) => {
      await client.call('CLUSTER', 'ADDSLOTSRANGE', place * share, last);
      await client.call('CLUSTER', 'MEET', '127.0.0.1', first.port);
    });
  }
  const urls = servers.map(({ url }) => url);
  for (const url of urls) await within(url, untilWhole);
  return {
    urls,
    servers,
    stop: async () => void (await Promise.all(servers.map((server) => server.kill()))),
  };
}

async function untilWhole(client: Redis): Promise<void> {
  while (!String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
}

async function within(url: string, work: (client: Redis) => Promise<void>): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => null });
  client.on('error', () => {});
  try {
    await work(client);
  } finally {
    client.disconnect();
  }
}
