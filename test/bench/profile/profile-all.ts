import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../child.js';
import type { Ends } from '../ends.js';
import { drive } from '../measure.js';
import type { BenchOptions } from '../options.js';
import { processBelow } from '../processes.js';
import { startProduct } from '../product.js';
import { digits, table } from '../text.js';
import { warm } from '../warm.js';
import { analyse } from './analysis.js';
import type { CpuProfile, TimeSpent } from './analysis.js';

const HOOK = new URL('./hook.js', import.meta.url).href;
const MOST_FUNCTIONS = 30;
const ANSWER_WITHIN_MS = 30_000;

export interface Profile {
  readonly lifecycles: number;
  readonly cpuMs: { readonly service: number; readonly database: number };
  /** Of the process's event loop; not of the threads that read large bodies. */
  readonly loop: TimeSpent;
}

/** Runs the one process under load and V8's profiler, and says where its time went. */
export async function profileAll(
  options: BenchOptions,
  folder: string,
  generator: Child,
  ends: Ends,
  say: (line: string) => void,
): Promise<Profile> {
  const file = join(folder, 'profile');
  const before = process.env['NODE_OPTIONS'] ?? '';
  const env = { NODE_OPTIONS: `${before} --import ${HOOK}`.trim(), BENCH_PROFILE: file };
  say('starting all in one process, with the profiler …');
  const all = await startProduct({ folder: join(folder, 'all'), split: false, env }, ends);
  say('warming up …');
  await warm(options, all, generator);

  const pid = processBelow(all.launcher, '--target=all');
  const clients = Math.max(...options.clients);
  say(`profiling ${options.seconds} s at ${clients} clients …`);
  const { lifecycles, cpu } = await drive(generator, all, { ...options, clients }, () =>
    process.kill(pid, 'SIGUSR2'),
  );
  process.kill(pid, 'SIGUSR2');
  await untilThere(file);
  const loop = analyse(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile);
  const profile = { lifecycles, cpuMs: cpu, loop };
  for (const line of lines(profile)) say(line);
  return profile;
}

async function untilThere(file: string): Promise<void> {
  for (const end = Date.now() + ANSWER_WITHIN_MS; !existsSync(file); await delay(20)) {
    if (Date.now() > end) throw new Error(`the profiler never wrote ${file}`);
  }
}

function lines({ lifecycles, cpuMs, loop }: Profile): string[] {
  const { busyMs, idleMs, areas, functions } = loop;
  const each = (ms: number): string => digits(ms / lifecycles);
  const share = (ms: number, of = busyMs): string => `${((100 * ms) / of).toFixed(1)} %`;
  return [
    '',
    `${lifecycles} lifecycles. CPU ms of one: ${each(cpuMs.service)} in the process, ${each(cpuMs.database)} in its database.`,
    'The loop also counts as busy while it waits for a processor, mostly after it has written to a socket (writev) whose',
    'reader then runs. Shares are of the busy time.',
    `The event loop: ${share(busyMs, busyMs + idleMs)} busy, ${each(busyMs)} ms of a lifecycle.`,
    ...table([
      ['area', 'share', 'ms of a lifecycle'],
      ...areas.map(({ area, ms }) => [area, share(ms), each(ms)]),
    ]),
    '',
    ...table(
      [
        ['self time', 'share', 'area'],
        ...functions.slice(0, MOST_FUNCTIONS).map(({ name, area, ms }) => [name, share(ms), area]),
      ],
      ['left', 'right', 'left'],
    ),
  ];
}
