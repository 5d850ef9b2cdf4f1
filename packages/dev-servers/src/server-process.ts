import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.js';

/** A store's server, running as a child of this process. */
export interface RunningStore {
  /** How clients reach it. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Settles when the server has ended, for any reason. */
  readonly exited: Promise<void>;
  /** Asks it to end and waits; kills it when it does not. */
  stop(): Promise<void>;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
}

/** A child process with an awaitable end. */
export interface ServerProcess {
  readonly pid: number;
  readonly exited: Promise<void>;
  hasExited(): boolean;
  /** Its output since it started. */
  output(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface ServerProcessOptions {
  command: string;
  args: readonly string[];
  /** Receives the server's output. */
  logFile: string;
  /** The signal for a regular shutdown of this server. */
  stopSignal: NodeJS.Signals;
  cwd?: string;
  owner?: { uid: number; gid: number } | null;
}

const STOP_MS = 10_000;

/**
 * Starts a server in a process group of its own, so that Ctrl-C in a terminal reaches only this process
 * and the stores outlive the services that drain into them.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  mkdirSync(dirname(options.logFile), { recursive: true });
  const output = openSync(options.logFile, 'a', 0o600);
  const begin = fstatSync(output).size;
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', output, output],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.owner ?? {}),
  });
  closeSync(output);

  let ended = false;
  const endWithUs = (): void => void child.kill(options.stopSignal);
  process.once('exit', endWithUs);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      ended = true;
      process.removeListener('exit', endWithUs);
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      process.removeListener('exit', endWithUs);
      reject(error);
    });
  });

  return {
    pid: child.pid as number,
    exited,
    hasExited: () => ended,
    output: () => readFileSync(options.logFile).subarray(begin).toString('utf8'),
    async stop() {
      child.kill(options.stopSignal);
      if (await settlesWithin(exited, STOP_MS)) return;
      child.kill('SIGKILL');
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Waits until `answers` holds; throws with the server's last words when the server ends or stays silent. */
export async function untilAnswering(
  name: string,
  server: ServerProcess,
  answers: () => Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    if (server.hasExited()) throw startError(name, 'ended at once', server);
    if (await answers()) return;
    if (Date.now() > end) {
      await server.kill();
      throw startError(name, `did not answer within ${timeoutMs / 1000} s`, server);
    }
    await delay(10);
  }
}

function startError(name: string, what: string, server: ServerProcess): Error {
  const lastLines = server.output().trimEnd().split('\n').slice(-12).join('\n');
  return new Error(`${name} ${what}. It said:\n${lastLines}`);
}

/** Runs `start` on `port`, or on a free one; a free port lost to another process is chosen again. */
export async function onPort<T>(
  port: number | undefined,
  start: (port: number) => Promise<T>,
): Promise<T> {
  if (port !== undefined) return start(port);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (attempt === 5 || !/address already in use/i.test(String(error))) throw error;
    }
  }
}

/** Sends `hello` to a local port and resolves to whether the first answer starts with `expected`. */
export function greets(port: number, hello: string, expected: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const finish = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(1000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('connect', () => socket.write(hello));
    socket.once('data', (data) => finish(data.toString('latin1').startsWith(expected)));
  });
}

async function settlesWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  const late = new AbortController();
  try {
    return await Promise.race([
      promise.then(() => true),
      delay(ms, false, { signal: late.signal }),
    ]);
  } finally {
    late.abort();
  }
}
