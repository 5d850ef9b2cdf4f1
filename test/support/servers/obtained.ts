import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** How long a first build may take on a slow machine; a test that needs one says so in its `beforeAll`. */
export const BUILD_MS = 10 * 60_000;

/** Path of a server's program, built when this machine has none (obtain.mjs says how). */
export async function obtained(name: 'versitygw' | 'minio' | 'vault-transit'): Promise<string> {
  const script = join(__dirname, 'obtain.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, name]);
  return stdout.trim();
}
