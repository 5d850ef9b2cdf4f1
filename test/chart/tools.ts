import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');
export const CHART = join(ROOT, 'helm', 'countersign');

/** helm built from its sources believes in a cluster of long ago. */
export const KUBERNETES = '1.34.0';

/** promtool, which comes with Prometheus; on Debian it is installed when root asks. Throws where there is none. */
export function promtool(): string {
  const found = onPath('promtool');
  if (found !== null) return found;
  const installed = process.getuid?.() === 0 && (install() || (update() && install()));
  const path = installed ? onPath('promtool') : null;
  if (path !== null) return path;
  throw new Error(
    'promtool is not on this machine: install Prometheus (Debian: apt-get install prometheus; https://prometheus.io/download).',
  );
}

const apt = (...args: string[]): boolean =>
  spawnSync('apt-get', args, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
    .status === 0;
const install = (): boolean => apt('install', '-y', '--no-install-recommends', 'prometheus');
const update = (): boolean => apt('update');

function onPath(name: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (existsSync(join(folder, name))) return join(folder, name);
  }
  return null;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function run(command: string, args: readonly string[], input?: string): Outcome {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  return { code: status, stdout, stderr };
}
