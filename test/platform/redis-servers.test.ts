import { createLogger } from '@countersign/platform';
import type { RedisServers } from '@countersign/platform';
import { createJobs } from '@countersign/platform/jobs';
import type { Jobs } from '@countersign/platform/jobs';
import { connectRedis } from '@countersign/platform/redis';
import type { RedisClient } from '@countersign/platform/redis';
import { DEFAULT_RATES } from '@countersign/protocol';
import { until } from '@countersign/dev-servers/testing';
import { createRates } from '@countersign/gateway';
import type { Rates } from '@countersign/gateway';
import { newFolder } from '../support/folder.js';
import { startRedisCluster, startSentinel } from '../support/servers/redis-topologies.js';
import type { RedisTopology } from '../support/servers/redis-topologies.js';

const log = createLogger({ name: 'test', level: 'silent' });
const PASSWORD = 'not: a/word';

/** What the product does with Redis, from two processes' points of view. */
class Users {
  readonly jobs: Jobs;
  readonly rates: readonly [Rates, Rates];
  readonly done = new Set<string>();

  constructor(servers: RedisServers) {
    const limits = { ...DEFAULT_RATES, health: 3 };
    this.jobs = createJobs({ redis: servers, log, closeMs: 1000 });
    this.rates = [createRates(limits, servers, log), createRates(limits, servers, log)];
  }

  async start(): Promise<void> {
    await this.jobs.work('due', async ({ id }) => void this.done.add(String(id)));
  }

  /** Adds the job again while the store is away, as a sweep does, until it was worked on. */
  async runs(id: string): Promise<void> {
    await until(async () => {
      await this.jobs.enqueue('due', id, { id }).catch(() => {});
      return this.done.has(id);
    });
  }

  /** Whether the calls of both processes fill one bucket. */
  async share(caller: string): Promise<boolean> {
    const refused: boolean[] = [];
    for (const rates of [...this.rates, ...this.rates]) {
      refused.push((await rates.take([{ bucket: 'health', key: caller }])) !== null);
    }
    return refused.join() === 'false,false,false,true';
  }

  async close(): Promise<void> {
    await Promise.all([this.jobs.close(), ...this.rates.map((rates) => rates.close())]);
  }
}

async function withUsers(servers: RedisServers, work: (users: Users) => Promise<void>) {
  const users = new Users(servers);
  try {
    await users.start();
    await work(users);
  } finally {
    await users.close();
  }
}

let count = 0;
const newCaller = () => `caller ${(count += 1)}`;

describe('Redis behind Sentinels', () => {
  let redis: RedisTopology;
  beforeAll(async () => {
    redis = await startSentinel(newFolder('sentinel'), PASSWORD);
  });
  afterAll(() => redis?.stop());

  it('has queues and rates that follow its primary when that is lost', async () => {
    const servers = { urls: redis.urls, sentinel: 'main', password: PASSWORD };
    await withUsers(servers, async (users) => {
      await users.runs('before');
      await until(() => users.share(newCaller()));
      await redis.servers[0]?.kill();
      await users.runs('after');
      await until(() => users.share(newCaller()));
    });
  });
});

describe('clients of Redis that connect again while Sentinels choose another primary', () => {
  let redis: RedisTopology;
  const clients: RedisClient[] = [];
  beforeAll(async () => {
    redis = await startSentinel(newFolder('sentinel'), PASSWORD);
  });
  afterAll(async () => {
    for (const client of clients) client.disconnect();
    await redis?.stop();
  });

  it('all reach it', async () => {
    const servers = { urls: redis.urls, sentinel: 'main', password: PASSWORD };
    // Many, and most of the time they are connecting: some are when the Sentinel reports the new primary.
    for (let count = 0; count < 40; count += 1) {
      const client = connectRedis(servers, {
        maxRetriesPerRequest: null,
        retryStrategy: () => 100,
      });
      clients.push(client.on('error', () => {}));
    }
    const answers = () => Promise.all(clients.map((client) => client.ping()));
    await answers();
    await redis.servers[0]?.kill();
    await answers();
  });
});

describe('a cluster of Redis', () => {
  let redis: RedisTopology;
  beforeAll(async () => {
    redis = await startRedisCluster(newFolder('redis-cluster'));
  });
  afterAll(() => redis?.stop());

  it('has queues and rates, whichever node has their keys', async () => {
    await withUsers({ urls: redis.urls.slice(0, 1), cluster: true }, async (users) => {
      await users.runs('first');
      for (let callers = 0; callers < 6; callers += 1) {
        await until(() => users.share(newCaller()));
      }
    });
  });
});
