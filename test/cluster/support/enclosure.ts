import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { until } from '@countersign/dev-servers/testing';

/** The address of this machine as processes in the enclosure reach it, and theirs. */
export const HOST = '10.240.255.1';
export const INSIDE = '10.240.255.2';

/** Addresses in the enclosure that this machine reaches: Services, pods, nodes. */
const ROUTES = ['10.96.0.0/16', '10.244.0.0/16', '10.240.0.0/24'];

/**
 * Network, mounts and processes of their own. All of them go with its first process, which ends when this process ends, however it
 * does: no interface, mount or process stays behind.
 */
export interface Enclosure {
  /** Starts a program that runs on; its output goes to that file. */
  start(
    log: string,
    command: string,
    args: readonly string[],
    env?: NodeJS.ProcessEnv,
  ): ChildProcess;
  /** Runs a program to its end and gives what it printed. */
  run(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): string;
  stop(): Promise<void>;
}

export async function openEnclosure(): Promise<Enclosure> {
  // Reads its input, a pipe from this process, until that closes.
  const holder = spawn(
    'unshare',
    ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'cat'],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const ended = new Promise<void>((resolve) => holder.once('exit', () => resolve()));
  const children = `/proc/${holder.pid}/task/${holder.pid}/children`;
  await until(() => /^\d+/.test(readFileSync(children, 'utf8')));
  const first = readFileSync(children, 'utf8').trim();
  await until(() => readFileSync(`/proc/${first}/comm`, 'utf8').trim() === 'cat');
  const within = (command: string, args: readonly string[]): string[] => [
    ...['--target', first, '--net', '--mount', '--pid'],
    ...['--', command, ...args],
  ];
  const stop = async (): Promise<void> => {
    holder.stdin?.end();
    await ended;
  };
  const run: Enclosure['run'] = (command, args, env) =>
    execFileSync('nsenter', within(command, args), {
      encoding: 'utf8',
      env: { ...process.env, ...env },
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  try {
    const link = `cluster${process.pid}`;
    execFileSync('ip', [
      'link',
      'add',
      link,
      'type',
      'veth',
      'peer',
      'name',
      'outside',
      'netns',
      first,
    ]);
    execFileSync('ip', ['address', 'add', `${HOST}/30`, 'dev', link]);
    execFileSync('ip', ['link', 'set', link, 'up']);
    run('ip', ['link', 'set', 'lo', 'up']);
    run('ip', ['address', 'add', `${INSIDE}/30`, 'dev', 'outside']);
    run('ip', ['link', 'set', 'outside', 'up']);
    run('ip', ['route', 'add', 'default', 'via', HOST]);
    for (const route of ROUTES) execFileSync('ip', ['route', 'add', route, 'via', INSIDE]);
    run('sh', ['-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
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
      closeSync(output);
      return child;
    },
    run,
    stop,
  };
}
