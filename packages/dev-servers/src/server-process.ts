import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.js';
import type { Owner } from './postgres-owner.js';
import { startContainer } from './server-container.js';
import type { RunningServer } from './server-container.js';

/** A store's server, running as a child of this process or in a container. */
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
  /** It stands still until it is resumed: it keeps its connections and answers nothing. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/** A server with an awaitable end. */
export interface ServerProcess extends Omit<RunningServer, 'signal'> {
  hasExited(): boolean;
  /** Its output since it started. */
  output(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface ServerProcessOptions {
  /** The program's path. */
  command: string;
  /** The image that the program is run from instead, found there by its name; null: it is on this machine. */
  image: string | null;
  args: readonly string[];
  /** The folder that it reads and writes. */
  dir: string;
  /** Receives the server's output. */
  logFile: string;
  /** The signal for a regular shutdown of this server. */
  stopSignal: NodeJS.Signals;
  cwd?: string;
  owner?: Owner | null;
}

const STOP_MS = 10_000;

/** Starts a server, as a child of this process or in a container. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { command, image, args, dir, logFile, stopSignal, owner = null } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const begin = existsSync(logFile) ? statSync(logFile).size : 0;
  const server =
    image === null
      ? await startChild(options)
      : await startContainer({ image, program: basename(command), args, dir, owner }, logFile);
  let ended = false;
  const endWithUs = (): void => {
    try {
      process.kill(server.pid, stopSignal);
    } catch {
      // It has ended meanwhile.
    }
  };
  process.once('exit', endWithUs);
  const exited = server.exited.then(() => {
    ended = true;
    process.removeListener('exit', endWithUs);
  });
  const kill = async (): Promise<void> => {
    await server.signal('SIGKILL');
    await exited;
  };
  return {
    ...server,
    exited,
    hasExited: () => ended,
    output: () => readFileSync(logFile).subarray(begin).toString('utf8'),
    async stop() {
      await server.signal(stopSignal);
      if (!(await settlesWithin(exited, STOP_MS))) await kill();
    },
    kill,
  };
}

/**
 * A process group of its own, so that Ctrl-C in a terminal reaches only this process and the stores outlive the services
 * that drain into them.
 */
async function startChild(options: ServerProcessOptions): Promise<RunningServer> {
  const output = openSync(options.logFile, 'a', 0o600);
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', output, output],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.owner ?? {}),
  });
  closeSync(output);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const signal = async (name: NodeJS.Signals): Promise<void> => void child.kill(name);
  return {
    pid: child.pid as number,
    exited,
    signal,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
  };
}

/** Waits until `answers` holds; throws with the server's last words when the server ends or stays silent. */
export async function untilAnswering(
  name: string,
  server: ServerProcess,
  answers: () => Promise<boolean>,
  timeoutMs = 120_000,
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
