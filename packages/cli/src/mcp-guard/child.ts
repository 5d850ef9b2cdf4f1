import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { linesIn } from './lines.js';
import type { Upstream } from './upstream.js';

/** How long a child may take to end once its input is closed, and after SIGTERM. */
const PATIENCE_MS = 5_000;

/** A server that is started without a shell, with these variables and no others. Its stderr passes. */
export async function childUpstream(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Upstream> {
  const [file, ...args] = command as [string, ...string[]];
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  // Its end is told by `close`.
  child.stdin.on('error', () => {});
  await once(child, 'spawn');
  const closed = new Promise<string>((settle) =>
    child.once('close', (code, signal) =>
      settle(`the server ended with ${signal ?? `code ${code}`}`),
    ),
  );
  const upstream = {
    send(line: Uint8Array | string) {
      child.stdin.write(line);
      child.stdin.write('\n');
    },
    onLine: (_: string) => {},
    setProtocolVersion() {},
    ended: closed,
    async close() {
      child.stdin.end();
      const isOver = () => child.exitCode !== null || child.signalCode !== null;
      for (const signal of [null, 'SIGTERM', 'SIGKILL'] as const) {
        if (isOver()) return;
        if (signal !== null) child.kill(signal);
        const late = new Promise((resume) => setTimeout(resume, PATIENCE_MS).unref());
        await Promise.race([closed, late]);
      }
    },
  };
  void (async () => {
    try {
      for await (const line of linesIn(child.stdout)) upstream.onLine(line.toString('utf8'));
    } catch {
      // A server that breaks the framing cannot be understood any more.
      child.kill('SIGKILL');
    }
  })();
  return upstream;
}
