import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');
export const CHART = join(ROOT, 'helm', 'countersign');

/** Outside the project: what was built once serves every clone on this machine. */
const BIN = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'countersign', 'bin');

/** Pinned: what a release is checked with. */
const GO_TOOLS = {
  helm: { module: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' },
  kubeconform: { module: 'github.com/yannh/kubeconform/cmd/kubeconform', version: 'v0.8.0' },
} as const;

/** helm built from its sources believes in a cluster of long ago. */
export const KUBERNETES = '1.34.0';

/**
 * The path of helm or kubeconform in the pinned version: out of the cache, else built there by Go (a minute or two, once
 * on a machine). Throws, saying what to install, where neither can be done: checks that did not run must not look green.
 */
export function goTool(name: keyof typeof GO_TOOLS): string {
  const { module, version } = GO_TOOLS[name];
  const folder = join(BIN, version);
  const path = join(folder, name);
  if (existsSync(path)) return path;
  if (spawnSync('go', ['version']).status !== 0) {
    throw new Error(
      `${name} ${version} is not in ${folder}, and there is no Go to build it. Install Go 1.26 or newer ` +
        `(https://go.dev/dl), or put a ${name} ${version} there.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  // Beside its place, and then moved there at once: others may be building it too.
  const bench = mkdtempSync(join(folder, 'build-'));
  try {
    const built = spawnSync('go', ['install', `${module}@${version}`], {
      encoding: 'utf8',
      cwd: homedir(),
      env: { ...process.env, GOBIN: bench, GOFLAGS: '-buildvcs=false' },
    });
    if (built.status === 0) {
      renameSync(join(bench, name), path);
      return path;
    }
    throw notBuilt(name, version, folder, built.stderr);
  } finally {
    rmSync(bench, { recursive: true, force: true });
  }
}

function notBuilt(name: string, version: string, folder: string, why: string): Error {
  return new Error(
    `${name} ${version} could not be built:\n${why}\nGo needs its module proxy (GOPROXY) to be reachable, ` +
      `or put a ${name} ${version} into ${folder}.`,
  );
}

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
