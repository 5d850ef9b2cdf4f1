import pg from 'pg';
import { createLogger, currentTrace, inTrace, newTrace } from '@countersign/platform';
import { createJobs, migrateJobs } from '@countersign/platform/jobs';
import type { JobData, Jobs, JobsOptions } from '@countersign/platform/jobs';
import { testPostgres, testRedis, until } from '@countersign/dev-servers/testing';
import type { TestStore } from '@countersign/dev-servers/testing';
import { gate } from './suite.js';

const ROLE = 'countersign_request';

interface Backend {
  start(): Promise<TestStore>;
  options(url: string): Pick<JobsOptions, 'redis' | 'databaseUrl'>;
}

const backends: Record<string, Backend> = {
  Redis: { start: testRedis, options: (url) => ({ redis: { urls: [url] } }) },
  PostgreSQL: {
    async start() {
      const store = await testPostgres();
      const client = new pg.Client(store.url);
      await client.connect();
      await client.query(`CREATE ROLE ${ROLE} NOLOGIN`);
      await client.end();
      await migrateJobs(store.url, ROLE);
      await migrateJobs(store.url, ROLE);
      return store;
    },
    options: (url) => ({ databaseUrl: `${url}?options=-c%20role%3D${ROLE}` }),
  },
};

describe.each(Object.entries(backends))('jobs in %s', (_name, backend) => {
  let store: TestStore;
  let jobs: Jobs;
  let count = 0;
  const lines: string[] = [];
  const log = createLogger({
    name: 'test',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const make = (): Jobs => createJobs({ ...backend.options(store.url), log, closeMs: 1000 });

  beforeAll(async () => {
    store = await backend.start();
  });
  afterAll(() => store.remove());

  beforeEach(() => {
    count += 1;
    lines.length = 0;
    jobs = make();
  });
  afterEach(() => jobs.close());

  const queue = (): string => `queue-${count}`;

  it('brings data and trace to a worker, in its time', async () => {
    const seen: { data: JobData; trace?: string | undefined; at: number }[] = [];
    await jobs.work(queue(), async (data) => {
      seen.push({ data, trace: currentTrace()?.traceId, at: Date.now() });
    });
    const trace = newTrace();
    const begin = Date.now();
    await inTrace(trace, () => jobs.enqueue(queue(), 'a:1', { id: 'now' }));
    await jobs.enqueue(queue(), 'a:2', { id: 'later' }, { delayMs: 300 });
    await until(() => seen.length === 2);
    expect(seen.map(({ data }) => data)).toEqual([{ id: 'now' }, { id: 'later' }]);
    expect(seen[0]?.trace).toBe(trace.traceId);
    expect(seen[1]?.at).toBeGreaterThanOrEqual(begin + 300);
  });

  it('keeps one job of an id while it waits, and takes the id again afterwards', async () => {
    let done = 0;
    for (let i = 0; i < 3; i += 1) await jobs.enqueue(queue(), 'request:expiry:1', {});
    await jobs.work(queue(), async () => {
      done += 1;
    });
    await until(() => done === 1);
    await until(async () => {
      await jobs.enqueue(queue(), 'request:expiry:1', {});
      return done > 1;
    });
  });

  it('tries a failing job three times, says nothing of it to the store, and lets its id go', async () => {
    let tries = 0;
    await jobs.work(queue(), async () => {
      tries += 1;
      if (tries <= 3) throw new Error('private words');
    });
    await jobs.enqueue(queue(), 'fails', {});
    await until(() => tries === 3, 20_000);
    await until(async () => {
      await jobs.enqueue(queue(), 'fails', {});
      return tries > 3;
    });
    expect(lines.filter((line) => line.includes('job failed'))).toHaveLength(3);
  });

  it('works at most the set number of jobs at once', async () => {
    const held = gate();
    let running = 0;
    let most = 0;
    let done = 0;
    await jobs.work(
      queue(),
      async () => {
        running += 1;
        most = Math.max(most, running);
        await held.wait;
        running -= 1;
        done += 1;
      },
      { concurrency: 2 },
    );
    for (let i = 0; i < 6; i += 1) await jobs.enqueue(queue(), `c${i}`, {});
    await until(() => running === 2);
    held.open();
    await until(() => done === 6);
    expect(most).toBe(2);
  });

  it('refuses while the store is away, and goes on when it is back', async () => {
    const done: unknown[] = [];
    await jobs.work(queue(), async ({ id }) => {
      done.push(id);
    });
    await jobs.enqueue(queue(), 'before', { id: 'before' });
    await until(() => done.length === 1);
    await store.kill();
    const begin = Date.now();
    await expect(jobs.enqueue(queue(), 'during', { id: 'during' })).rejects.toThrow();
    expect(Date.now() - begin).toBeLessThan(6000);
    await store.restart();
    const back = Date.now();
    await until(async () => {
      await jobs.enqueue(queue(), 'after', { id: 'after' }).catch(() => {});
      return done.includes('after');
    });
    expect(Date.now() - back).toBeLessThan(10_000);
  });

  it('starts while the store is away', async () => {
    await store.stop();
    const early = make();
    let done = 0;
    await early.work(queue(), async () => {
      done += 1;
    });
    await expect(early.enqueue(queue(), 'x', {})).rejects.toThrow();
    await store.restart();
    await until(async () => {
      await early.enqueue(queue(), 'y', {}).catch(() => {});
      return done > 0;
    });
    await early.close();
  });

  it('waits for running jobs when it closes, but not for ever', async () => {
    const held = gate();
    let started = 0;
    let done = 0;
    const polite = make();
    await polite.work(queue(), async () => {
      started += 1;
      await held.wait;
      done += 1;
    });
    await polite.enqueue(queue(), 'polite', {});
    await until(() => started === 1);
    const closing = polite.close();
    held.open();
    await closing;
    expect(done).toBe(1);

    const stuck = make();
    await stuck.work(`${queue()}-stuck`, () => {
      started += 1;
      return new Promise(() => {});
    });
    await stuck.enqueue(`${queue()}-stuck`, 'stuck', {});
    await until(() => started === 2);
    const begin = Date.now();
    await stuck.close();
    expect(Date.now() - begin).toBeLessThan(5000);
  });
});

describe('jobs in PostgreSQL whose login may not use them', () => {
  it('are not ready and tell it once, and work as soon as they may', async () => {
    const store = await testPostgres();
    const client = new pg.Client(store.url);
    await client.connect();
    await client.query(`CREATE ROLE ${ROLE} NOLOGIN`);
    await migrateJobs(store.url, ROLE);
    await client.query(`CREATE ROLE worker LOGIN NOINHERIT PASSWORD 'secret'`);
    const url = new URL(store.url);
    url.username = 'worker';
    url.password = 'secret';
    url.searchParams.set('options', `-c role=${ROLE}`);
    const lines: { level: string; msg: string }[] = [];
    const log = createLogger({
      name: 'test',
      level: 'debug',
      destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
    });
    const jobs = createJobs({ databaseUrl: url.href, log, closeMs: 1000 });
    const endings = () => lines.filter(({ msg }) => msg === 'worker ended');
    try {
      await expect(jobs.ready()).rejects.toMatchObject({ code: '42501' });
      const seen: JobData[] = [];
      await jobs.work('late', async (data) => void seen.push(data));
      await until(() => endings().length >= 3);
      expect(endings().filter(({ level }) => level === 'warn')).toHaveLength(1);
      await client.query(`GRANT ${ROLE} TO worker`);
      await until(() => lines.some(({ msg }) => msg === 'worker works again'));
      await jobs.ready();
      await jobs.enqueue('late', 'a', { id: 'a' });
      await until(() => seen.length === 1);
    } finally {
      await jobs.close();
      await client.end();
      await store.remove();
    }
  });
});
