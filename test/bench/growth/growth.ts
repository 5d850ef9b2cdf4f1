import { rmSync, writeFileSync } from 'node:fs';
import { machineFacts } from '../machine.js';
import { machineLine } from '../report.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import { MOST_RATIO, compare } from './compare.js';
import type { Comparison, Times } from './compare.js';
import { fill } from './fill.js';
import { startGround } from './ground.js';
import type { Ground } from './ground.js';
import { mainPlans, plansPage } from './main-plans.js';
import { HELP, SMALL, readGrowthOptions } from './options.js';
import { askAround, probesOf } from './probes.js';
import { makeTemplates } from './templates.js';
import { newFolder } from '../../support/folder.js';

/** Calls of every kind before anything is measured, at each size. */
const WARM_CALLS = 20;
/** Statuses that are asked for before, of requests of any age. */
const WARM_STATUSES = 20_000;

export const growth: Scenario = async (args, ends, say) => {
  const options = readGrowthOptions(args);
  if (options === null) {
    say(HELP);
    return;
  }
  const { requests, repetitions } = options;
  const began = performance.now();
  const folder = newFolder('bench');
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const machine = machineFacts(folder);
  say('starting the product twice …');
  const small = await startGround('small', folder, ends);
  const large = await startGround('large', folder, ends);

  // The large one is first as small as the other, so that its connections have met small tables.
  const claims = repetitions + 2 * WARM_CALLS;
  const templates = new Map<Ground, Awaited<ReturnType<typeof makeTemplates>>>();
  for (const ground of [small, large]) {
    say(`${ground.name}: ${SMALL} requests …`);
    const made = await makeTemplates(ground);
    templates.set(ground, made);
    await fill(ground, made, SMALL, { claimable: claims }, say);
  }
  await compare(await probesOf(small, claims), await probesOf(large, claims), WARM_CALLS);

  const filling = performance.now();
  say(`large: ${requests - SMALL} requests more …`);
  await fill(large, templates.get(large) as never, requests - SMALL, null, say);
  const fillSeconds = (performance.now() - filling) / 1000;
  say(`filled in ${fillSeconds.toFixed(0)} s; vacuum and analyse, as autovacuum would …`);
  for (const { database } of [small, large]) await database.query('VACUUM (ANALYZE)');
  await large.database.query('CHECKPOINT');
  for (const ground of [small, large]) await askAround(ground, WARM_STATUSES);
  const sides = [await probesOf(small, claims), await probesOf(large, claims)] as const;
  await compare(...sides, WARM_CALLS);
  say(`measuring ${repetitions} calls of every kind on each …`);
  const comparisons = await compare(...sides, repetitions);
  const plans = await mainPlans(large, ends);

  const size = await sizeOf(large);
  const seconds = (performance.now() - began) / 1000;
  say('');
  say(machineLine(machine));
  say(
    `${requests} requests: ${size.records} records, database of ${size.gigabytes.toFixed(1)} GB, filled in ` +
      `${fillSeconds.toFixed(0)} s; all of it ${seconds.toFixed(0)} s.`,
  );
  say('');
  for (const line of report(comparisons, requests)) say(line);
  if (options.plans !== null) writeFileSync(options.plans, plansPage(plans, requests));
  if (options.json !== null) {
    const results = { options, machine, size, fillSeconds, seconds, comparisons, plans };
    writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  }
};

function report(comparisons: readonly Comparison[], requests: number): string[] {
  const cell = ({ p50, p99 }: Times) => `${digits(p50)} / ${digits(p99)}`;
  const head = [
    `at ${SMALL}`,
    `at ${requests}`,
    'ratio of p10',
    'ratio of p50',
    `<= ${MOST_RATIO}`,
  ];
  return table([
    ['ms, p50 / p99', ...head],
    ...comparisons.map(({ name, small, large, ratio, reached }) => [
      name,
      cell(small),
      cell(large),
      (large.p10 / small.p10).toFixed(2),
      ratio.toFixed(2),
      reached ? 'yes' : 'NO',
    ]),
  ]);
}

async function sizeOf({ database }: Ground): Promise<{ gigabytes: number; records: number }> {
  const { rows } = await database.query<{ bytes: string; records: string }>(
    'SELECT pg_database_size(current_database()) AS bytes, (SELECT count(*) FROM record) AS records',
  );
  return { gigabytes: Number(rows[0]?.bytes) / 2 ** 30, records: Number(rows[0]?.records) };
}
