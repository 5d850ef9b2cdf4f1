import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const SECRET = 'a secret of the bench and of nothing else';

export interface Figures {
  readonly rss: number;
  readonly heap: number;
  /** Microseconds of processor time since it began. */
  readonly cpu: number;
}

export interface Child {
  readonly port: number;
  figures(): Promise<Figures>;
  stop(): Promise<void>;
}

export async function startChild(mode: 'server' | 'echo'): Promise<Child> {
  const path = fileURLToPath(new URL('./child.js', import.meta.url));
  const child = fork(path, [mode, SECRET], { execArgv: ['--expose-gc'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    async figures() {
      child.send('figures');
      return ((await once(child, 'message')) as [Figures])[0];
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
