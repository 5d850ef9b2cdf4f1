import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Where Debian's packages and most others did not make a user for PostgreSQL. */
const NOBODY = { uid: 65_534, gid: 65_534 };

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Root's folder for files that the server's user must reach when the project lies in a directory closed to others. */
const OPEN_ROOT = '/var/lib/countersign';

/**
 * The user a PostgreSQL server runs as, null for our own: it refuses to run as root. The user `postgres` has nothing but
 * databases, while other programs run as `nobody` too.
 */
export function postgresOwner(): Owner | null {
  return process.getuid?.() === 0 ? (userNamed('postgres') ?? NOBODY) : null;
}

/** The owner of initialised data; the one that new data get where there are none. */
export function ownerOf(dir: string): Owner | null {
  const version = join(dir, 'PG_VERSION');
  const owner = postgresOwner();
  if (owner === null || !existsSync(version)) return owner;
  const { uid, gid } = statSync(version);
  return { uid, gid };
}

function userNamed(name: string): Owner | null {
  if (!existsSync('/etc/passwd')) return null;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid) };
}

/**
 * The data directory itself, made for its owner. As root below a closed directory (`/root/project`) the data
 * move to `/var/lib/countersign`, and a file `location` in `dir` says where: removing `dir` still means starting anew.
 */
export function dataDirectory(dir: string): string {
  const owner = postgresOwner();
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (owner === null) return dir;
  const note = join(dir, 'location');
  if (existsSync(note)) return readFileSync(note, 'utf8').trim();
  if (isReachable(dirname(dir))) {
    chownSync(dir, owner.uid, owner.gid);
    return dir;
  }
  mkdirSync(OPEN_ROOT, { recursive: true, mode: 0o755 });
  const moved = mkdtempSync(join(OPEN_ROOT, `${basename(dir)}-`));
  chownSync(moved, owner.uid, owner.gid);
  writeFileSync(note, `${moved}\n`);
  return moved;
}

/** A directory of programs that the server's owner may run: a copy when the original is closed to it. */
export function runnableDirectory(bin: string, major: number): string {
  if (postgresOwner() === null || isReachable(bin)) return bin;
  const copy = join(OPEN_ROOT, `postgres-${major}`);
  if (!existsSync(join(copy, 'complete'))) {
    mkdirSync(copy, { recursive: true, mode: 0o755 });
    // Programs find their libraries and templates beside themselves: the whole installation is copied.
    cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
    writeFileSync(join(copy, 'complete'), '');
  }
  return join(copy, 'bin');
}

/** Whether every directory on the way may be entered by anybody. */
function isReachable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
