import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The root of this checkout: the version that is tested. */
export const ROOT = resolve(__dirname, '../../..');

/**
 * The version that this one must run beside: the last released state, moved on with each release (docs/upgrades.md). The
 * first preview release, 9f6adc5, came before the rule that makes this possible.
 */
const PREVIOUS_COMMIT = 'bd8cacf16cb1794f61c2321de0e4f87e00886a27';
/** As it is told. */
export const PREVIOUS = PREVIOUS_COMMIT.slice(0, 7);

/** Whether this checkout has the history that the previous version is taken from; a shallow one has not. */
export function knowsPrevious(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${PREVIOUS_COMMIT}^{commit}`], {
      cwd: ROOT,
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** The root of the previous version, built with the packages of this checkout; made once and kept. */
export function previousRoot(): string {
  const place = createHash('sha256').update(ROOT).digest('hex').slice(0, 12);
  const root = join(tmpdir(), `countersign-previous-${PREVIOUS}-${place}`);
  const built = join(root, '.built');
  if (existsSync(built)) return root;
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  const archive = execFileSync('git', ['archive', PREVIOUS_COMMIT], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  });
  execFileSync('tar', ['-x', '-C', root], { input: archive });
  linkPackages(root);
  const turbo = join(ROOT, 'node_modules', 'turbo', 'bin', 'turbo');
  execFileSync(process.execPath, [turbo, 'run', 'build'], { cwd: root, stdio: 'pipe' });
  writeFileSync(built, '');
  return root;
}

/** The names of the migrations of the version whose root that is, in their order. */
export function migrationsIn(root: string): string[] {
  const folder = join(root, 'packages', 'database', 'prisma', 'migrations');
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/** All packages are this checkout's, but for our own, which are its own. */
function linkPackages(root: string): void {
  const packages = join(ROOT, 'node_modules');
  for (const name of readdirSync(packages)) {
    if (name === '@countersign') continue;
    // It takes its compiler from `typescript`, which is the one of the linter alone in this version.
    const its = name === 'typescript' ? '@typescript/native' : name;
    link(join(packages, its), join(root, 'node_modules', name));
  }
  for (const workspace of workspacesOf(root)) {
    const { name } = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));
    link(join(root, workspace), join(root, 'node_modules', name));
    const nested = join(ROOT, workspace, 'node_modules');
    if (existsSync(nested)) link(nested, join(root, workspace, 'node_modules'));
  }
}

function workspacesOf(root: string): string[] {
  const folders = ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  return [...folders, 'deploy', 'test'];
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
