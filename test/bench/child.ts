import { fork } from 'node:child_process';
import type { ChildProcess, ForkOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process of the bench's own, that is told and answers by messages. It ends when its channel closes. */
export interface Child {
  readonly pid: number;
  /** Rejects when the child ends before the message comes. */
  next<T>(): Promise<T>;
  send(message: object): void;
  stop(): Promise<void>;
}

/** `file` is relative to this one, as built. */
export function forkChild(file: string, options: ForkOptions = {}): Child {
  return forkProgram(fileURLToPath(new URL(file, import.meta.url)), options);
}

/** `file` is a path. */
export function forkProgram(file: string, options: ForkOptions = {}): Child {
  const child: ChildProcess = fork(file, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    ...options,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid as number,
    next: <T>() =>
      new Promise<T>((resolve, reject) => {
        const lost = (): void => reject(new Error(`${file} ended by itself`));
        child.once('exit', lost);
        child.once('message', (message) => {
          child.off('exit', lost);
          resolve(message as T);
        });
      }),
    send: (message) => void child.send(message),
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
