import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { forkChild } from './child.js';
import type { Child } from './child.js';
import { endAll } from './ends.js';
import type { Ends } from './ends.js';
import { figuresOf } from './figures.js';
import { HELP } from './help.js';
import { machineFacts } from './machine.js';
import { measure } from './measure.js';
import type { Measurement } from './measure.js';
import { WrongOption, readOptions } from './options.js';
import type { BenchOptions } from './options.js';
import { processBelow, residentMegabytes } from './processes.js';
import { startProduct } from './product.js';
import { profileAll } from './profile/profile-all.js';
import { report } from './report.js';
import { SCENARIOS } from './scenarios.js';
import type { Mode, Side } from './side.js';
import { judge } from './targets.js';
import type { StartFigures } from './targets.js';
import { warm } from './warm.js';
import { startYardstick } from './yardstick/start.js';
import { newFolder } from '../support/folder.js';

const say = (line: string): void => console.log(line);

/** `npm run bench`. Ends with 1 when something failed, and with 0 for any metrics. */
export async function main(args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args;
  const scenario = Object.hasOwn(SCENARIOS, name) ? await SCENARIOS[name]?.() : undefined;
  if (scenario !== undefined) {
    await ended((ends) => scenario(rest, ends, say));
    return;
  }
  let options: BenchOptions | null;
  try {
    options = readOptions(args);
  } catch (error) {
    if (!(error instanceof WrongOption)) throw error;
    console.error(`${error.message} \`npm run bench -- --help\` lists the options.`);
    process.exit(1);
  }
  if (options === null) {
    say(HELP);
    return;
  }
  const given = options;
  await ended((ends) => bench(given, ends));
}

/** Does the work and stops its processes in any case; then ends the process. */
async function ended(work: (ends: Ends) => Promise<void>): Promise<void> {
  const ends: Ends = [];
  let ending: Promise<unknown[]> | undefined;
  const end = (): Promise<unknown[]> => (ending ??= endAll(ends));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      say('stopping …');
      void end();
    });
  }
  let code = 0;
  try {
    await work(ends);
  } catch (error) {
    // Work that a signal interrupts fails as expected.
    if (ending === undefined) console.error(error);
    code = 1;
  }
  for (const failure of await end()) {
    console.error(failure);
    code = 1;
  }
  process.exit(code);
}

async function bench(options: BenchOptions, ends: Ends): Promise<void> {
  const folder = workFolder(ends);
  const machine = machineFacts(folder);
  const generator = forkChild('./load/generator.js');
  ends.push(() => generator.stop());
  if (options.profile) {
    const profile = await profileAll(options, folder, generator, ends, say);
    if (options.json !== null) writeJson(options.json, { machine, profile });
    return;
  }
  const { sides, start } = await startSides(options, folder, ends);
  say('warming up …');
  for (const side of sides.values()) await warm(options, side, generator);
  const measurements = await measureAll(options, sides, generator);
  const figures = figuresOf(measurements);
  const results = { options, machine, start, figures, targets: judge(figures, start) };
  for (const line of report(results)) say(line);
  if (options.json !== null) writeJson(options.json, { ...results, measurements });
}

/** Below which everything lies; open to the user that Postgres runs as. */
function workFolder(ends: Ends): string {
  const folder = newFolder('bench');
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One after the other, and the one process first, alone: its start and its idle memory are metrics too. */
async function startSides(options: BenchOptions, folder: string, ends: Ends) {
  const sides = new Map<Mode, Side>();
  let start: StartFigures | null = null;
  if (options.modes.includes('all')) {
    say('starting all in one process, first on an empty database …');
    const place = { folder: join(folder, 'all'), split: false };
    const first = await startProduct(place, ends);
    await first.stop();
    const all = await startProduct({ ...place, npm: true }, ends);
    sides.set('all', all);
    await delay(options.idleSeconds * 1000);
    start = {
      firstMs: first.startMs,
      warmMs: all.startMs,
      idleMb: residentMegabytes(processBelow(all.launcher, '--target=all')),
      launcherMb: residentMegabytes(all.launcher, { alone: true }),
    };
  }
  if (options.modes.includes('split')) {
    say('starting one process per target …');
    sides.set('split', await startProduct({ folder: join(folder, 'split'), split: true }, ends));
  }
  if (options.modes.includes('yardstick')) {
    say('starting the yardstick …');
    sides.set('yardstick', await startYardstick(folder, ends));
  }
  return { sides, start };
}

/** The machine's neighbours come and go, so every figure has one of the yardstick from just before it. */
async function measureAll(
  options: BenchOptions,
  sides: ReadonlyMap<Mode, Side>,
  generator: Child,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  const { seconds, pauseMs } = options;
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const clients of options.clients) {
      for (const side of sequence(sides)) {
        const measured = await measure(generator, side, round, { clients, seconds, pauseMs });
        measurements.push(measured);
        const rate = measured.lifecyclesPerSecond.toFixed(0);
        say(`round ${round}, ${clients} clients, ${side.name}: ${rate} lifecycles/s`);
        await delay(SETTLE_MS);
      }
    }
  }
  return measurements;
}

/** The ledger of the one before is drained by then. */
const SETTLE_MS = 300;

/** yardstick, all, yardstick, split. */
function sequence(sides: ReadonlyMap<Mode, Side>): Side[] {
  const yardstick = sides.get('yardstick');
  const products = [...sides.values()].filter((side) => side !== yardstick);
  if (yardstick === undefined) return products;
  if (products.length === 0) return [yardstick];
  return products.flatMap((product) => [yardstick, product]);
}

function writeJson(file: string, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  say(`every figure: ${file}`);
}
