import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { connect } from '../load/connection.js';
import { newLatencies } from '../load/latencies.js';
import type { Latencies } from '../load/latencies.js';
import { STEPS, newWaiting, walk } from '../load/lifecycle.js';
import { requestBodies } from '../load/request-body.js';
import { machineFacts } from '../machine.js';
import { startProduct } from '../product.js';
import type { Product } from '../product.js';
import { machineLine } from '../report.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import { addBacklog, outcomeOf, waiting } from './backlog.js';
import { newFolder } from '../../support/folder.js';

const HELP = `npm run bench -- anchoring [--count 50000] [--clients 4] [--seconds 20] [--split]
  Decisions of one tenant that wait for their anchor all at once, while another tenant's lifecycles go on: how long until
  all are anchored, and what the other tenant's calls take before and meanwhile. ANCHOR_S3_BUCKET and the other variables
  of a store in S3 are used when they are set, else a folder.`;

const LONGEST_MS = 30 * 60_000;
const WARM_SECONDS = 5;

export const anchoring: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string', default: '50000' },
      clients: { type: 'string', default: '4' },
      seconds: { type: 'string', default: '20' },
      split: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const [count, clients, seconds] = [values.count, values.clients, values.seconds].map(Number) as [
    number,
    number,
    number,
  ];
  const folder = newFolder('bench');
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const machine = machineFacts(folder);
  say('starting the product …');
  const product = await startProduct({ folder, split: values.split }, ends);
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  ends.push(() => database.end());
  const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as {
    tenant: string;
    other: { tenant: string; producer: { id: string }; routes: { execution: string } };
  };
  const { other } = demo;

  const walkers = startWalkers(product, clients);
  ends.push(() => walkers.stop());
  await walkers.during(delay(WARM_SECONDS * 1000));
  say(`measuring ${clients} clients alone, ${seconds} s …`);
  const alone = await walkers.during(delay(seconds * 1000));

  say(`${count} decisions of another tenant …`);
  const template = await database.query<{ id: string }>(
    `SELECT request_id AS id FROM lifecycle WHERE tenant = $1 AND execution = 'completed' LIMIT 1`,
    [demo.tenant],
  );
  await addBacklog(
    database,
    { tenant: demo.tenant, id: template.rows[0]?.id ?? '' },
    { tenant: other.tenant, owner: other.producer.id, route: other.routes.execution },
    count,
  );
  const began = performance.now();
  const meanwhile = await walkers.during(untilAnchored(database, other.tenant, count, say));
  const tookSeconds = (performance.now() - began) / 1000;
  await walkers.stop();
  const done = await outcomeOf(database, other.tenant);

  say('');
  say(machineLine(machine));
  say(
    `${count} decisions anchored in ${tookSeconds.toFixed(1)} s (${(count / tookSeconds).toFixed(0)}/s) under ` +
      `${done.checkpoints} checkpoints; the longest proof has ${done.longest} nodes, told twice ${done.toldTwice}.`,
  );
  say('');
  for (const line of report(alone, meanwhile)) say(line);
  if (done.available < count || done.longest > 100 || done.toldTwice !== 0) {
    throw new Error(`not as it should be: ${JSON.stringify(done)}`);
  }
};

/** Clients that walk until they are stopped, and the durations of each period. */
function startWalkers({ target }: Product, clients: number) {
  let latencies: Latencies = newLatencies();
  let ended = false;
  const newRequest = requestBodies(target.route);
  const wait = newWaiting(5);
  const all = Promise.all(
    Array.from({ length: clients }, async (_, number) => {
      const connection = connect(target.origin);
      const reviewer = target.reviewers[number % target.reviewers.length] ?? {};
      try {
        while (!ended) {
          const note: Latencies['note'] = (...of) => latencies.note(...of);
          await walk({ connection, target, reviewer, newRequest, wait, note });
        }
      } finally {
        connection.close();
      }
    }),
  );
  return {
    /** Figures of the time that `work` takes. */
    async during(work: Promise<unknown>): Promise<Latencies> {
      latencies = newLatencies();
      await Promise.race([work, all]);
      return latencies;
    },
    async stop(): Promise<void> {
      ended = true;
      await all;
    },
  };
}

async function untilAnchored(
  database: pg.Client,
  tenant: string,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  let told = count;
  for (;;) {
    await delay(250);
    const open = await waiting(database, tenant);
    if (open === 0) return;
    if (open <= told - count / 10) {
      say(`  ${open} wait`);
      told = open;
    }
    if (performance.now() > end) throw new Error(`${open} decisions still wait after 30 minutes`);
  }
}

function report(alone: Latencies, meanwhile: Latencies): string[] {
  const cell = (latencies: Latencies, step: (typeof STEPS)[number]) => latencies.figures()[step];
  return table([
    ['ms, p50 / p99', 'alone', 'meanwhile', 'ratio of p99', 'calls alone', 'meanwhile'],
    ...STEPS.flatMap((step) => {
      const [before, after] = [cell(alone, step), cell(meanwhile, step)];
      if (before === undefined || after === undefined) return [];
      return [
        [
          step,
          `${digits(before.p50)} / ${digits(before.p99)}`,
          `${digits(after.p50)} / ${digits(after.p99)}`,
          (after.p99 / before.p99).toFixed(2),
          String(before.count),
          String(after.count),
        ],
      ];
    }),
  ]);
}
