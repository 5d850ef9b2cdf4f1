import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** A running process, as /proc tells of it. */
interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Of itself and of the children that it has waited for. */
  readonly cpuMs: number;
}

const TICK_MS = 10;

/** Empty where there is no /proc: the bench then has no CPU metrics. */
function processes(): ProcessEntry[] {
  return numbersIn('/proc').flatMap((pid) => {
    try {
      const fields = statFields(`/proc/${pid}/stat`);
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid, parent: Number(fields[1]), command, cpuMs: ticks * TICK_MS }];
    } catch {
      return []; // ended meanwhile
    }
  });
}

function statFields(path: string): string[] {
  const stat = readFileSync(path, 'utf8');
  // The name in parentheses may hold anything; the fields start after the last one.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** These processes and everything below them; empty where there is no /proc. */
export function treeOf(roots: readonly number[]): ProcessEntry[] {
  const all = processes();
  const tree = all.filter(({ pid }) => roots.includes(pid));
  // Grows while it is walked.
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** CPU time since their start, milliseconds. */
export interface Cpu {
  readonly service: number;
  readonly database: number;
  readonly stores: number;
}

/** Of all processes below these, by kind. */
export function cpuBelow(roots: readonly number[]): Cpu {
  const sum = { service: 0, database: 0, stores: 0 };
  for (const { command, cpuMs } of treeOf(roots)) {
    if (/postgres/.test(command.split(' ')[0] ?? '')) sum.database += cpuMs;
    else if (/nats-server|redis-server/.test(command.split(' ')[0] ?? '')) sum.stores += cpuMs;
    else sum.service += cpuMs;
  }
  return sum;
}

/** The process below `root` whose command line holds `part`. Throws when there is none. */
export function processBelow(root: number, part: string): number {
  const found = treeOf([root]).find(({ command }) => command.includes(part));
  if (found !== undefined) return found.pid;
  throw new Error(`no process of ${part} is running below process ${root}`);
}

/** Resident memory in MB of a process and, unless `alone`, of all below it. */
export function residentMegabytes(pid: number, { alone = false } = {}): number {
  const pids = alone ? [pid] : treeOf([pid]).map((entry) => entry.pid);
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', pids.join(',')], { encoding: 'utf8' });
  return (
    kilobytes
      .trim()
      .split('\n')
      .reduce((sum, line) => sum + Number(line), 0) / 1024
  );
}
