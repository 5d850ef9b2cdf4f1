import { join } from 'node:path';
import { freePort, startNats, startRedis } from '@countersign/dev-servers';
import type { RunningStore } from '@countersign/dev-servers';
import { Redis } from 'ioredis';
import type { FleetStores } from '../../fault/support/fleet.js';
import { allOrNone } from '../../support/started.js';
import type { Started } from '../../support/started.js';
import { protect, startSentinel } from '../../support/servers/redis-topologies.js';
import { S3_ACCESS, startS3 } from '../../support/servers/s3.js';
import type { S3Server } from '../../support/servers/s3.js';
import { startLink } from './link.js';
import type { Link } from './link.js';
import { startPostgresPair } from './postgres-pair.js';
import type { PostgresPair } from './postgres-pair.js';

export const BUCKET = 'checkpoints';
const REDIS_PASSWORD = 'torture';
const NATS_SERVERS = 3;
/** As two racks: each replica of a target is in the other one. */
export const ZONES = ['a', 'b'] as const;
export type Zone = (typeof ZONES)[number];
/** The ways of one zone; `nats` has one for each server. Redis's clients learn addresses from its Sentinels. */
export interface Ways {
  readonly postgres: Link;
  readonly nats: readonly Link[];
  readonly s3: Link;
}

/** What a production runs on: each store with what takes over from it. */
export interface Stores extends FleetStores {
  readonly postgres: PostgresPair;
  readonly s3: S3Server;
  readonly ways: Readonly<Record<Zone, Ways>>;
  /** Of a target in that zone. */
  environment(zone?: Zone): Readonly<Record<string, string>>;
  /** Instead of those variables for a release that knows no Sentinel: the way to the primary of Redis. */
  readonly withoutSentinel: Readonly<Record<string, string>>;
  /** The standby takes over, and all ways lead there. */
  failOverPostgres(): Promise<void>;
  /** One of the servers of NATS is killed at once; resolves to what starts it again. */
  killNats(server: number): Promise<() => Promise<void>>;
  /** It stands still; resolves to what ends that. */
  pauseNats(server: number): Promise<() => Promise<void>>;
  /** Both servers in turn: it is killed, a Sentinel makes the other one the primary, and it starts again. */
  killRedis(server: number): Promise<() => Promise<void>>;
}

/** Ends those that run when one does not start. With `disks` each Postgres has one of its own, as root on Linux. */
export function startTortureStores(data: string, logs: string, disks: boolean): Promise<Stores> {
  return allOrNone((started) => startAll(started, data, logs, disks));
}

async function startAll(
  started: Started,
  data: string,
  logs: string,
  disks: boolean,
): Promise<Stores> {
  const pair = startPostgresPair(join(data, 'postgres'), logs, { disks });
  const postgres = await started.keep(pair, ({ stop }) => stop());
  const s3 = await started.keep(startS3(), ({ stop }) => stop());
  await s3.bucket(BUCKET, true);

  const routes = await Promise.all(Array.from({ length: NATS_SERVERS }, () => freePort()));
  const launchNats = (server: number, port?: number): Promise<RunningStore> =>
    startNats({
      dir: join(data, `nats-${server}`),
      log: join(logs, `nats-${server}`),
      ...(port === undefined ? {} : { port }),
      config: [
        `server_name: nats-${server}`,
        'ping_interval: "2s"',
        'ping_max: 2',
        `cluster { name: torture, listen: "127.0.0.1:${routes[server]}", no_advertise: true,`,
        `  routes: [${routes.map((route) => `"nats://127.0.0.1:${route}"`).join(', ')}] }`,
      ].join('\n'),
    });
  // Faults put others in their places.
  const nats: RunningStore[] = [];
  await Promise.all(
    routes.map((_, server) =>
      started.keep(
        launchNats(server).then((store) => (nats[server] = store)),
        () => nats[server]?.kill(),
      ),
    ),
  );
  const redisServers: RunningStore[] = [];
  const redis = await started.keep(
    startSentinel(join(data, 'redis'), REDIS_PASSWORD),
    async ({ stop }) => {
      await stop();
      await Promise.all(redisServers.map((server) => server.kill()));
    },
  );
  redisServers.push(...redis.servers);

  // Clients of this release ask the Sentinel where the primary is; those of a release before cannot.
  const redisPrimary = await started.keep(startLink(redisServers[0]!.port), ({ stop }) => stop());
  const told = new Redis(redis.urls[0]!);
  told.on('error', () => {});
  told.on('message', (_, said: string) => redisPrimary.lead(Number(said.split(' ').at(-1))));
  await started.keep(
    told.subscribe('+switch-master').then(() => told),
    async (client) => client.disconnect(),
  );

  const linkTo = (port: number): Promise<Link> =>
    started.keep(startLink(port), ({ stop }) => stop());
  const waysOf = async (): Promise<Ways> => ({
    postgres: await linkTo(postgres.port()),
    nats: await Promise.all(nats.map(({ port }) => linkTo(port))),
    s3: await linkTo(s3.port),
  });
  const ways = { a: await waysOf(), b: await waysOf() };

  return {
    postgres,
    s3,
    ways,
    get databaseUrl() {
      return postgres.url();
    },
    natsUrl: nats[0]!.url,
    withoutSentinel: {
      REDIS_URL: `redis://:${REDIS_PASSWORD}@127.0.0.1:${redisPrimary.port}`,
      REDIS_SENTINEL: '',
      REDIS_PASSWORD: '',
    },
    environment(zone = 'a') {
      const { postgres: database, nats: buses, s3: anchors } = ways[zone];
      const url = new URL(postgres.url());
      url.port = String(database.port);
      return {
        DATABASE_URL: url.href,
        NATS_URL: buses.map(({ port }) => `nats://127.0.0.1:${port}`).join(','),
        REDIS_URL: redis.urls.join(','),
        REDIS_SENTINEL: 'main',
        REDIS_PASSWORD,
        ANCHOR_S3_BUCKET: BUCKET,
        ANCHOR_S3_REGION: 'us-east-1',
        ANCHOR_S3_ENDPOINT: `http://127.0.0.1:${anchors.port}`,
        ANCHOR_S3_PATH_STYLE: 'true',
        ANCHOR_S3_ACCESS_KEY_ID: S3_ACCESS.accessKeyId,
        ANCHOR_S3_SECRET_ACCESS_KEY: S3_ACCESS.secretAccessKey,
      };
    },
    async failOverPostgres() {
      await postgres.failOver();
      for (const zone of ZONES) ways[zone].postgres.lead(postgres.port());
    },
    async killNats(server) {
      const { port, kill } = nats[server]!;
      await kill();
      return async () => void (nats[server] = await launchNats(server, port));
    },
    async pauseNats(server) {
      const { pause, resume } = nats[server]!;
      await pause();
      return resume;
    },
    async killRedis(server) {
      const { port, kill } = redisServers[server]!;
      await kill();
      return async () => {
        const dir = join(data, 'redis', `server-${server}`);
        redisServers[server] = await startRedis({ dir, port });
        await protect(redisServers[server].url, REDIS_PASSWORD);
      };
    },
    stop: started.stop,
  };
}
