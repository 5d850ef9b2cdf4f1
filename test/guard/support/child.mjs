// An executor in a process of its own, which can be killed at each await: `node child.mjs '<job>'` (job.ts).
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@countersign/client/node';

const job = JSON.parse(process.argv[2]);
const part = (name) => import(join(job.guard, name));
const { fileJournal, postgresJournal, redisJournal, resumeAll } = await part('node.js');
// Not published: the clock and the patience of a guard are no options.
const { guardIn } = await part('guard.js');
const { NODE } = await part('journals/process.js');

/** The wall clock of this machine may be wrong, and may be set while it runs. */
let skewMs = job.skewMs ?? 0;
const rightTime = Date.now.bind(Date);
Date.now = () => rightTime() + skewMs;

const say = (event, value) => process.stdout.write(`${JSON.stringify({ event, value })}\n`);

/** Every await of the guard has a point before it and one behind it. */
let passed = 0;
async function at(point) {
  passed += 1;
  if (job.trace !== undefined) appendFileSync(job.trace, `${point}\n`);
  if (job.stepAt === point) skewMs += job.stepMs;
  if (job.stopAt === point) {
    job.stopAt = undefined;
    say('stopping', null);
    process.kill(process.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (job.killAt !== point && job.killAfter !== passed) return;
  job.killTimes = (job.killTimes ?? 1) - 1;
  if (job.killTimes > 0) return;
  say('dying', point);
  process.kill(process.pid, 'SIGKILL');
  // The signal may come a moment later: nothing happens until then.
  await new Promise(() => {});
}

const NAMES = [
  [/^POST .*\/requests$/, 'create'],
  [/^POST .*\/supersede$/, 'supersede'],
  [/^POST .*\/claims$/, 'claim'],
  [/^POST .*\/admission$/, 'admit'],
  [/^POST .*\/outcomes$/, 'outcome'],
  [/^POST .*\/revoke$/, 'revoke'],
  [/^GET .*\/material$/, 'material'],
  [/^GET .*\/export$/, 'export'],
  [/^GET .*\/events/, 'events'],
  [/^GET .*\/requests\?/, 'list'],
  [/^GET .*\/requests\//, 'status'],
];
async function send(url, options = {}) {
  const call = `${options.method ?? 'GET'} ${url}`;
  const name = NAMES.find(([pattern]) => pattern.test(call))?.[1] ?? 'other';
  await at(`send ${name}`);
  if (job.away === name) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
  const response = await fetch(url, options);
  const bytes = await response.arrayBuffer();
  await at(`answer ${name}`);
  if (job.lose === name) {
    job.lose = undefined;
    throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
  }
  const { status, headers } = response;
  return new Response([204, 304].includes(status) ? null : bytes, { status, headers });
}

/** The same journal, with a point before and behind each step. */
function traced(journal) {
  const step = async (name, run) => {
    await at(`before ${name}`);
    const result = await run();
    await at(`after ${name}`);
    return result;
  };
  const change = (given) => Object.keys(given).sort().join('+');
  return {
    durable: journal.durable,
    open: (...given) => step('open', () => journal.open(...given)),
    read: (...given) => step('read', () => journal.read(...given)),
    advance: (key, from, given) =>
      step(`advance ${change(given)}`, () => journal.advance(key, from, given)),
    async hold(key) {
      const hold = await step('hold', () => journal.hold(key));
      if (hold === null) return null;
      return {
        ...hold,
        fence: () =>
          step('fence', () => {
            if (job.full) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
            return hold.fence();
          }),
        isFenced: () => step('isFenced', () => hold.isFenced()),
      };
    },
    entries: (filter) => journal.entries(filter),
    prune: (before) => journal.prune(before),
  };
}

const ends = [];
async function journalOf({ kind, place }) {
  if (kind === 'file') return fileJournal(place);
  if (kind === 'postgres') {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: place, max: 4 });
    pool.on('error', () => {});
    ends.push(() => pool.end());
    return postgresJournal(pool);
  }
  if (kind === 'redis') {
    const { default: Redis } = await import('ioredis');
    const client = new Redis(place);
    ends.push(() => client.quit());
    return redisJournal(client);
  }
  return null;
}

const client = await connect(job.connection, {
  fetch: send,
  ...(job.away && { budget: { attempts: 1, seconds: 1 } }),
});
const plain = await journalOf(job.journal);
const journal = plain && traced(plain);
const runtime = {
  ...NODE,
  ...{ foreignMs: 500, marginMs: 500, graceMs: 100 },
  ...(job.boot && { boot: job.boot }),
  ...(job.random && { random: () => job.random }),
};
const count = (what) =>
  fetch(`${job.counter}/${encodeURIComponent(what)}`, { method: 'POST' }).then((r) => r.text());

const pay = guardIn(runtime)(
  client,
  {
    name: 'pay',
    route: job.route,
    occurrence: ({ occurrence }) => occurrence,
    executionSeconds: job.executionSeconds ?? 2,
    ...(journal && { journal }),
    ...(job.probe && {
      async probe({ occurrence }) {
        const response = await fetch(`${job.counter}/${encodeURIComponent(`start ${occurrence}`)}`);
        return (await response.text()) === '0' ? 'not done' : 'done';
      },
    }),
    onAsked: (asked) => say('asked', asked.id),
    onUnreported: (_, error) => say('unreported', error.name),
    onLate: () => say('late', null),
  },
  async ({ occurrence, amount }, run) => {
    await at('fn begin');
    await count(`start ${occurrence}`);
    say('amount', amount);
    await at('fn inside');
    if (job.runMs) await new Promise((resolve) => setTimeout(resolve, job.runMs));
    if (job.untilAborted)
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
    await count(`end ${occurrence}`);
    await at('fn end');
    if (job.result !== undefined) return job.result;
    if (run.signal.aborted) throw new Error(`stopped: ${run.signal.reason}`);
    return { paid: occurrence };
  },
);
say('ready', null);
try {
  const args = { occurrence: job.occurrence, amount: 5 };
  const call = job.timeout === undefined ? {} : { timeout: job.timeout };
  const asked = job.again ? pay.again : pay;
  const going = job.resume ? resumeAll(journal, [pay], call) : asked(args, call);
  args.amount = 666;
  const result = await going;
  await at('finished');
  const shown = job.resume ? result.map(({ state, error }) => [state, error?.name]) : result;
  say('returned', shown);
} catch (error) {
  await at('finished');
  say('threw', { name: error.name, why: error.why, message: error.message });
}
for (const end of ends) await end();
process.exit(0);
