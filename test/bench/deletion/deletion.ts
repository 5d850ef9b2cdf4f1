import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { forkChild } from '../child.js';
import type { LoadFigures } from '../load/generator.js';
import { STEPS } from '../load/lifecycle.js';
import { machineFacts } from '../machine.js';
import { drive } from '../measure.js';
import { startProduct } from '../product.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import { warm } from '../warm.js';
import { fill, makeDue, pending, postpone, template } from './requests.js';
import { newFolder } from '../../support/folder.js';

const HELP = `npm run bench -- deletion [--count 10000] [--clients 8] [--seconds 10] [--mode split|all]
  What callers feel of a private deletion of so many requests: p99 of their calls in windows with and without it, one
  after the other until all is deleted. The requests are filled in by SQL.`;

const PAUSE_MS = 5;
/** How much longer callers may wait at most while others' requests are deleted. */
const TARGET = 1.5;

interface Windows {
  readonly without: LoadFigures[];
  readonly with: LoadFigures[];
}

export const deletion: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      count: { type: 'string', default: '10000' },
      clients: { type: 'string', default: '8' },
      seconds: { type: 'string', default: '10' },
      mode: { type: 'string', default: 'split' },
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
  const generator = forkChild('./load/generator.js');
  ends.push(() => generator.stop());
  say(`starting the product, ${values.mode} …`);
  const product = await startProduct({ folder, split: values.mode === 'split' }, ends);
  const database = new pg.Client({ connectionString: product.databaseUrl });
  await database.connect();
  ends.push(() => database.end());

  say('warming up …');
  await warm({ clients: [clients], pauseMs: PAUSE_MS, warmSeconds: 15 }, product, generator);
  say(`filling in ${count} requests …`);
  await fill(database, await template(product.target), count);

  const order = { clients, seconds, pauseMs: PAUSE_MS };
  const windows: Windows = { without: [], with: [] };
  let left = count;
  let busyMs = 0;
  while (left > 0) {
    windows.without.push(await drive(generator, product, order));
    await makeDue(database);
    // The worker looks every few seconds: a window begins when it has begun.
    await untilFewer(database, left);
    const began = performance.now();
    const before = await pending(database);
    const figures = await drive(generator, product, order);
    busyMs += performance.now() - began;
    const after = await pending(database);
    // The last window has work in part of it only, and says little.
    if (after > 0) windows.with.push(figures);
    await postpone(database);
    left = await untilStill(database);
    say(
      `${before - after} deleted in ${((performance.now() - began) / 1000).toFixed(0)} s, ${left} left`,
    );
  }

  say('');
  say(
    `${machine.cores} cores, Node ${machine.node}, PostgreSQL ${machine.postgres}, load before ${machine.load}; ` +
      `${values.mode}, ${clients} clients, ${windows.with.length} windows of ${seconds} s each`,
  );
  const rates = [windows.without, windows.with].map((of) =>
    median(of.map(({ lifecycles, seconds: took }) => lifecycles / took)),
  ) as [number, number];
  const p99 = (of: readonly LoadFigures[], step: (typeof STEPS)[number] | null) =>
    median(of.flatMap(({ steps, calls }) => (step === null ? calls : steps[step])?.p99 ?? []));
  const row = (name: string, step: (typeof STEPS)[number] | null): string[] => {
    const [without, during] = [p99(windows.without, step), p99(windows.with, step)];
    return [name, digits(without), digits(during), digits(during / without)];
  };
  const calls = row('all calls', null);
  for (const line of table([
    ['p99, ms', 'without', 'with', 'ratio'],
    calls,
    ...STEPS.map((step) => row(step, step)),
    ['lifecycles/s', digits(rates[0]), digits(rates[1]), digits(rates[1] / rates[0])],
  ])) {
    say(line);
  }
  say(
    `deleted ${((count / busyMs) * 1000).toFixed(0)} a second; target: a ratio of at most ${TARGET}`,
  );
};

async function untilFewer(database: pg.Client, than: number): Promise<void> {
  for (const end = Date.now() + 60_000; (await pending(database)) >= than;) {
    if (Date.now() > end) throw new Error('nothing is deleted');
    await delay(50);
  }
}

/** Jobs that were in the queue already are done a little later. */
async function untilStill(database: pg.Client): Promise<number> {
  for (let last = await pending(database); ;) {
    await delay(1000);
    const now = await pending(database);
    if (now === last) return now;
    last = now;
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
