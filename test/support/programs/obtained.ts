import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** How long a first build may take on a slow machine; a test that needs one says so in its `beforeAll`. */
export const BUILD_MS = 10 * 60_000;

const SCRIPT = join(__dirname, 'obtain.mjs');

/** Path of a program, built when this machine has none (obtain.mjs says how). */
export async function obtained(
  name: 'versitygw' | 'minio' | 'vault-parts' | 'kubernetes' | 'node' | 'registry' | 'traefik',
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, name]);
  return stdout.trim();
}

const known = new Map<string, string>();

/** As {@link obtained}, for commands that are called again and again. */
export function obtainedTool(name: 'helm' | 'kubeconform' | 'crane' | 'cosign'): string {
  const path =
    known.get(name) ?? execFileSync(process.execPath, [SCRIPT, name], { encoding: 'utf8' }).trim();
  known.set(name, path);
  return path;
}
