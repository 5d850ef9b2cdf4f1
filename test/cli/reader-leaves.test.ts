import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** Runs a command whose reader has left before the first line, as `| head` does after some. */
async function withoutReader(...args: string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, stderr };
}

it('the command of operators ends quietly, and not as if it had done its work', async () => {
  expect(await withoutReader('deploy/countersign.mjs', '--help')).toEqual({
    code: 141,
    stderr: '',
  });
});

it('the command of producers keeps the exit code of what it did', async () => {
  expect(await withoutReader('packages/cli/dist/countersign.js', '--help')).toEqual({
    code: 0,
    stderr: '',
  });
});
