import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const READY_MS = 30_000;
const END_MS = 5000;

export interface ServerChild {
  /** SIGTERM, and SIGKILL for a process that ignores it. */
  stop(): Promise<void>;
}

/** Starts a server and waits until `answers` does not throw; fails with the server's own words. */
export async function startChild(
  program: string,
  args: readonly string[],
  options: { log: string; env?: Readonly<Record<string, string>> },
  answers: () => Promise<unknown>,
): Promise<ServerChild> {
  const log = openSync(options.log, 'a');
  const child = spawn(program, args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...options.env },
  });
  closeSync(log);
  const exited = new Promise<void>((settle) => child.once('exit', () => settle()));
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  const stop = async (): Promise<void> => {
    if (!running()) return;
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await exited;
    clearTimeout(killer);
  };
  const end = Date.now() + READY_MS;
  for (;;) {
    try {
      await answers();
      return { stop };
    } catch (error) {
      if (!running() || Date.now() > end) {
        await stop();
        const said = readFileSync(options.log, 'utf8');
        throw new Error(`${program} does not serve:\n${said}`, { cause: error });
      }
    }
    await delay(50);
  }
}
