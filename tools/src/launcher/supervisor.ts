import cluster from 'node:cluster';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { OwnDirectory } from './data-directory.js';
import { endOfLog, readLogLine, openLog } from './log-file.js';
import { PlainError } from '@countersign/deploy/plain-error';

/** One process: a target of main.js, and the environment that configures it, which is all of it. */
export interface TargetProcess {
  /** Names it in messages and its log, for example `review-2`. */
  readonly name: string;
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it shares its listening sockets with its replicas. */
  readonly shared: boolean;
}

export interface Supervisor {
  /** Starts the processes together and waits until all of them serve. */
  start(processes: readonly TargetProcess[]): Promise<void>;
  /** Stops in reverse order of their start, each bounded in time. */
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../../deploy/dist/main.js', import.meta.url));
const ORPHAN = new URL('./orphan.js', import.meta.url).href;
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const STEADY_MS = 5000;
const ATTEMPTS_BEFORE_READY = 3;

interface Keeper {
  /** Settles when it serves for the first time; rejects when it never will. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

/** Keeps target processes running: one that ends by itself is started again, later each time. */
export function supervise(data: OwnDirectory, say: (line: string) => void): Supervisor {
  const groups: Keeper[][] = [];
  return {
    async start(processes) {
      const keepers = processes.map((process_) =>
        keep(process_, data.at('logs', `${process_.name}.log`), say),
      );
      groups.unshift(keepers);
      await Promise.all(keepers.map(({ ready }) => ready));
    },
    async stop() {
      for (const group of groups) await Promise.all(group.map((keeper) => keeper.stop()));
    },
  };
}

function keep(what: TargetProcess, logPath: string, say: (line: string) => void): Keeper {
  const log = openLog(logPath);
  let child: ChildProcess;
  let stopping = false;
  let serves = false;
  let attempts = 0;
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let isReady: () => void;
  let isLost: (error: Error) => void;
  const ready = new Promise<void>((resolve, reject) => {
    isReady = resolve;
    isLost = reject;
  });
  const tooLate = setTimeout(
    () => lose(`does not serve after ${READY_WITHIN_MS / 1000} s`),
    READY_WITHIN_MS,
  );

  function lose(why: string): void {
    clearTimeout(tooLate);
    isLost(
      new PlainError(`${what.name} ${why}. Its log, ${logPath}, ends with:\n${endOfLog(logPath)}`),
    );
  }

  function start(): void {
    attempts += 1;
    const started = Date.now();
    child = spawnTarget(what);
    const onLine = (line: string): void => {
      const said = readLogLine(line);
      if (said === null) return;
      if ('show' in said) return say(`${what.name}: ${said.show}`);
      serves = true;
      clearTimeout(tooLate);
      isReady();
    };
    if (child.stdout !== null) log.follow(child.stdout, onLine);
    if (child.stderr !== null) log.follow(child.stderr, () => {});
    child.once('error', (error) => lose(`could not be started (${error.message})`));
    child.once('close', (code, signal) => {
      if (stopping) return;
      if (!serves && attempts >= ATTEMPTS_BEFORE_READY) return lose(`ended ${attempts} times`);
      if (Date.now() - started > STEADY_MS) pause = FIRST_PAUSE_MS;
      const how = signal ?? `code ${code}`;
      say(`${what.name} ended (${how}); it starts again in ${pause / 1000} s. Its log: ${logPath}`);
      timer = setTimeout(start, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  }

  start();
  return {
    ready,
    async stop() {
      stopping = true;
      clearTimeout(timer);
      clearTimeout(tooLate);
      await end(child);
      log.close();
    },
  };
}

/**
 * Children get a process group of their own, so that Ctrl-C in a terminal reaches the launcher alone and it decides
 * the order of their end. Through the channel they notice when the launcher is killed (orphan.ts).
 */
function spawnTarget({ target, env, shared }: TargetProcess): ChildProcess {
  const args = [`--target=${target}`];
  if (!shared) {
    return spawn(process.execPath, ['--import', ORPHAN, MAIN, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
  }
  // Node's cluster hands connections of one listening socket round among its processes.
  cluster.setupPrimary({ exec: MAIN, args, silent: true });
  return cluster.fork(env).process as ChildProcess;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(force);
}
