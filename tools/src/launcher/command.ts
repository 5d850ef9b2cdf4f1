import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PlainError } from '@countersign/deploy/plain-error';

const COMMANDS = fileURLToPath(new URL('../../develop.mjs', import.meta.url));

/**
 * Runs one of our commands (src/commands.ts) to its end, its output going to ours. In a process of its own, because the
 * modules that it loads (schemas, database client) would stay in the launcher's memory for as long as that runs. Throws
 * PlainError with the command's output when it fails; `signal` ends it early.
 */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [COMMANDS, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'pipe'],
      signal,
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new PlainError(complaint.trim() || `${args[0]} failed`));
    });
  });
}
