import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createLogger } from '@countersign/platform';
import { createJobs } from '@countersign/platform/jobs';
import { machineFacts } from '../machine.js';
import { startProduct } from '../product.js';
import type { Scenario } from '../scenario.js';
import { table } from '../text.js';
import { newFolder } from '../../support/folder.js';

const HELP = `npm run bench -- deadlines [--count 100000] [--seconds 60] [--replicas 2]
  Reviews that all expire within some seconds, done by worker-expiry over Redis: whether each was done once, how late, and
  how fast beside the queue's own raw rate.`;

/** Until the first deadline: filling takes some of it. */
const LEAD_SECONDS = 30;
const RAW_JOBS = 20_000;

export const deadlines: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string', default: '100000' },
      seconds: { type: 'string', default: '60' },
      replicas: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const [count, seconds, replicas] = [values.count, values.seconds, values.replicas].map(
    Number,
  ) as [number, number, number];
  const folder = newFolder('bench');
  ends.push(async () => rmSync(folder, { recursive: true, force: true }));
  const machine = machineFacts(folder);
  say(`starting the product split, ${replicas} replicas of each worker …`);
  const product = await startProduct({ folder, split: true, replicas }, ends);
  const { urls } = JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8')) as {
    urls: { REDIS_URL: string };
  };
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  ends.push(() => database.end());

  const raw = await rawRate(urls.REDIS_URL, replicas);
  say(
    `the queue by itself: ${raw.added.toFixed(0)} jobs/s added, ${raw.worked.toFixed(0)} jobs/s worked`,
  );

  say(`filling in ${count} requests …`);
  await fill(database, product.target.route, count, seconds);
  const first = await oneOf<Date>(database, `SELECT min(due) FROM deadline WHERE kind = 'review'`);
  say(`the first of them expires in ${((first.getTime() - Date.now()) / 1000).toFixed(0)} s`);
  const began = performance.now();
  for (;;) {
    await delay(2_000);
    const open = await oneOf<number>(
      database,
      `SELECT count(*)::integer FROM deadline WHERE kind = 'review' AND done_at IS NULL`,
    );
    const chained = await oneOf<number>(database, 'SELECT count(*)::integer FROM outbox');
    say(`${open} to do, ${chained} events to chain`);
    if (open === 0 && chained === 0) break;
    if (performance.now() - began > 900_000) throw new Error('not done in 15 minutes');
  }

  const { rows } = await database.query<Record<string, number>>(LATENESS);
  const late = rows[0] as Record<'p50' | 'p99' | 'worst' | 'rate', number>;
  const events = await database.query<{ events: number; requests: number }>(EVENTS);
  const { events: told, requests } = events.rows[0] as { events: number; requests: number };
  const missed = await oneOf<number>(
    database,
    `SELECT count(*)::integer FROM lifecycle WHERE decision = 'pending'`,
  );
  say('');
  say(
    `${machine.cores} cores, Node ${machine.node}, PostgreSQL ${machine.postgres}, load before ${machine.load}`,
  );
  for (const line of table([
    ['', 'measured', 'ratio to the queue by itself'],
    ['expired', String(requests), ''],
    ['missed', String(missed), ''],
    ['told twice', String(told - requests), ''],
    [
      'effects a second, while there was work',
      late.rate.toFixed(0),
      (late.rate / raw.worked).toFixed(2),
    ],
    ['due a second', (count / seconds).toFixed(0), (count / seconds / raw.worked).toFixed(2)],
    ['lateness p50, s', late.p50.toFixed(2), ''],
    ['lateness p99, s', late.p99.toFixed(2), ''],
    ['lateness worst, s', late.worst.toFixed(2), ''],
  ])) {
    say(line);
  }
  if (missed !== 0 || told !== requests) throw new Error('a deadline was missed or told twice');
};

/** Jobs that do nothing, on the same Redis with as many workers at once: the maximum rate of the queue. */
async function rawRate(
  redisUrl: string,
  replicas: number,
): Promise<{ added: number; worked: number }> {
  const log = createLogger({ name: 'bench', level: 'silent' });
  const queue = `raw-${randomUUID()}`;
  const producer = createJobs({ log, redis: { urls: [redisUrl] } });
  const began = performance.now();
  for (let done = 0; done < RAW_JOBS; done += 1000) {
    await producer.enqueueAll(
      queue,
      Array.from({ length: 1000 }, (_, index) => ({
        jobId: `${queue}-${done + index}`,
        data: { tenant: 'bench', requestId: randomUUID(), kind: 'review', due: 0 },
        delayMs: 0,
      })),
    );
  }
  const added = RAW_JOBS / ((performance.now() - began) / 1000);
  let worked = 0;
  const start = performance.now();
  const workers = Array.from({ length: replicas }, () =>
    createJobs({ log, redis: { urls: [redisUrl] } }),
  );
  await new Promise<void>((resolve) => {
    const count = async (): Promise<void> => {
      worked += 1;
      if (worked === RAW_JOBS) resolve();
    };
    for (const worker of workers) void worker.work(queue, count, { concurrency: 10 });
  });
  const rate = RAW_JOBS / ((performance.now() - start) / 1000);
  await Promise.all([producer, ...workers].map((jobs) => jobs.close()));
  return { added, worked: rate };
}

/** Rows as creations would leave them, copied in the database from one that it makes first. */
async function fill(
  database: pg.Client,
  route: string,
  count: number,
  seconds: number,
): Promise<void> {
  await database.query('BEGIN');
  await database.query(FILL, [count, seconds, route, LEAD_SECONDS]);
  await database.query('COMMIT');
  await database.query('ANALYZE');
}

const FILL = `
WITH t AS (
  SELECT tenant, (SELECT id FROM principal p WHERE p.tenant = t.tenant AND p.kind = 'producer' LIMIT 1) AS owner
  FROM tenant t WHERE tenant = 'demo'
), n AS (
  SELECT t.tenant, t.owner, gen_random_uuid() AS id,
    clock_timestamp() + make_interval(secs => $4 + g * $2::float8 / $1) AS due
  FROM t, generate_series(1, $1::integer) g
), r AS (
  INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical)
  SELECT tenant, id, owner, $3, 'review', 'Is this text right?', 'sha256:' || repeat('0', 64),
    json_build_object('id', id, 'purpose', 'review', 'profiles', '{}'::json)::text FROM n
), d AS (
  INSERT INTO deadline (tenant, request_id, kind, due) SELECT tenant, id, 'review', due FROM n
)
INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
  accepted_at, review_deadline, private_delete_at, audit_delete_at)
SELECT tenant, id, owner, $3, 'pending', 'unanchored', 'not_applicable', 'not_applicable', 1, 1, clock_timestamp(), due,
  due + interval '1 day', due + interval '90 days' FROM n`;

const LATENESS = `
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY late) AS p50, percentile_disc(0.99) WITHIN GROUP (ORDER BY late) AS p99,
  max(late) AS worst, count(*) / extract(epoch FROM max(done_at) - min(due))::float8 AS rate
FROM (SELECT due, done_at, extract(epoch FROM done_at - due)::float8 AS late FROM deadline WHERE kind = 'review') d`;

const EVENTS = `
SELECT count(*)::integer AS events, count(DISTINCT request_id)::integer AS requests
FROM record WHERE type = 'RequestChangedEvent' AND request_id IN (SELECT request_id FROM deadline WHERE kind = 'review')`;

async function oneOf<T>(database: pg.Client, text: string): Promise<T> {
  const { rows } = await database.query<unknown[]>({ text, rowMode: 'array' });
  return rows[0]?.[0] as T;
}
