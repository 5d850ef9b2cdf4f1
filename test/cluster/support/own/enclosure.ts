import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { until } from '../../../support/requests.js';

/** The address of this machine as processes in the enclosure reach it, and theirs. */
export const HOST = '10.240.255.1';
export const INSIDE = '10.240.255.2';

/** Addresses of pods, which this machine answers when they ask it for names. */
export const PODS = '10.244.0.0/16';

/** Network, mounts and processes of their own, which end together. */
export interface Enclosure {
  /** Starts a program that runs on; its output goes to that file. */
  start(log: string, command: string, args: readonly string[], env?: NodeJS.ProcessEnv): void;
  /** Runs a program to its end and gives what it printed. */
  run(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): string;
  /** Resolves when all its processes have ended and nothing of it is left. */
  stop(): Promise<void>;
}

/** What an enclosure leaves behind unless it is removed. */
export interface Leftovers {
  readonly folder: string;
  /** Begin of the names of control groups. */
  readonly groups: string;
}

// Reads its input, a pipe from this process, until that closes; then removes what outlives the namespaces. In a session of its
// own, so that a signal to the group of this process, such as that of Ctrl+C, does not end it first.
const HOLDER = `
unshare --net --mount --pid --fork --kill-child --mount-proc cat
for group in /sys/fs/cgroup/*/"$1"*; do find "$group" -depth -type d -exec rmdir {} ';'; done
rm -rf "$2"
`;

/**
 * Opens an enclosure. It ends, and takes its leftovers along, when it is stopped or when this process ends, also by SIGKILL.
 * Needs root on Linux.
 */
export async function openEnclosure({ folder, groups }: Leftovers): Promise<Enclosure> {
  const holder = spawn('sh', ['-c', HOLDER, 'sh', groups, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => holder.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    holder.stdin?.end();
    await ended;
  };
  const first = await childOf(await childOf(holder.pid as number));
  await until(
    async () => readFileSync(`/proc/${first}/comm`, 'utf8').trim(),
    (command) => command === 'cat',
  );
  const within = (command: string, args: readonly string[]): string[] => [
    ...['--target', String(first), '--net', '--mount', '--pid'],
    ...['--', command, ...args],
  ];
  const run: Enclosure['run'] = (command, args, env) =>
    execFileSync('nsenter', within(command, args), {
      encoding: 'utf8',
      env: { ...process.env, ...env },
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  try {
    connect(first, run);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    start(log, command, args, env) {
      const output = openSync(log, 'a');
      const child = spawn('nsenter', within(command, args), {
        env: { ...process.env, ...env },
        stdio: ['ignore', output, output],
      });
      child.unref();
      closeSync(output);
    },
    run,
    stop,
  };
}

/** A pair of interfaces, of which this machine has one and the enclosure the other. Both go with the enclosure. */
function connect(first: number, run: Enclosure['run']): void {
  const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
  const link = `cluster${process.pid}`;
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'outside', 'netns', String(first));
  ip('address', 'add', `${HOST}/30`, 'dev', link);
  ip('link', 'set', link, 'up');
  run('ip', ['link', 'set', 'lo', 'up']);
  run('ip', ['address', 'add', `${INSIDE}/30`, 'dev', 'outside']);
  run('ip', ['link', 'set', 'outside', 'up']);
  run('ip', ['route', 'add', 'default', 'via', HOST]);
  ip('route', 'add', PODS, 'via', INSIDE);
  run('sh', ['-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
}

async function childOf(pid: number): Promise<number> {
  const children = await until(
    async () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim(),
    (list) => list !== '',
  );
  return Number(children.split(' ')[0]);
}
