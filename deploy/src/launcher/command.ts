import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../plain-error.js';

const CLI = fileURLToPath(new URL('../../countersign.mjs', import.meta.url));

/**
 * Runs a command of our own CLI to its end, its output going to ours. In a process of its own, because what it loads
 * (schemas, database client) would stay in the launcher's memory for as long as that runs.
 * Throws PlainError with what the command said when it fails; `signal` ends it early.
 */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'pipe'],
      signal,
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new PlainError(complaint.trim() || `countersign ${args[0]} failed`));
    });
  });
}
