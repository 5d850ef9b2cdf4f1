import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ROLES, createOwnerPool } from './pool.js';
import type { Asking, Pool } from './pool.js';

/** The same from src and from dist, in ES modules and under Jest. */
const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

/** The lock that `prisma migrate` takes, so that the two never run at once. */
const LOCK = 72_707_369;

/** Prisma's own table: its engine reads our history as its own. */
const HISTORY = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

interface HistoryRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
}

export interface MigrateOptions {
  /** Called after each file that was applied. */
  onApplied?: (name: string) => void;
  /** Folder of `<name>/migration.sql`; this package's own when not given. */
  directory?: string;
}

/**
 * Brings the database of that URL, whose user must own it, to this release's schema and returns the names of the applied
 * migrations. Each file is one transaction, so a failing one leaves nothing behind. Runs that meet wait for each other. A
 * database that is ahead of this release is left as it is. Throws when a file was edited after it was applied, when one is
 * missing, or when the history holds a failed one.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const files = migrationsIn(options.directory ?? MIGRATIONS);
  const client = new pg.Client({
    connectionString: url,
    application_name: 'countersign migrate',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  });
  // An error while no statement runs also fails the next statement; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(HISTORY);
    const { pending, problem } = compare(files, await historyOf(client));
    if (problem !== null) throw new Error(problem);
    for (const file of pending) {
      await apply(client, file);
      options.onApplied?.(file.name);
    }
    if (pending.length > 0) await letServicesReadHistory(client);
    return pending.map((file) => file.name);
  } finally {
    // Ends the lock too.
    await client.end();
  }
}

export interface MigrationStatus {
  /**
   * `older`: this release must wait. `newer`: a later release migrated already, which earlier ones tolerate.
   * `refused`: the history is not ours, `problem` says why.
   */
  state: 'current' | 'older' | 'newer' | 'refused';
  /** Names that this release has and the database lacks. */
  pending: string[];
  /** Names that the database has and this release does not know yet. */
  ahead: string[];
  problem: string | null;
}

/** How the schema of a database stands to this release; by a service's pool, or by a URL. Throws when unreachable. */
export async function migrationStatus(
  database: string | Pool,
  directory = MIGRATIONS,
): Promise<MigrationStatus> {
  const files = migrationsIn(directory);
  const { pending, ahead, problem } = compare(files, await historyOrNone(database));
  return {
    state: stateOf(pending.length, ahead.length, problem),
    pending: pending.map((file) => file.name),
    ahead,
    problem,
  };
}

function stateOf(pending: number, ahead: number, problem: string | null): MigrationStatus['state'] {
  if (problem !== null) return 'refused';
  if (pending > 0) return 'older';
  return ahead > 0 ? 'newer' : 'current';
}

function migrationsIn(directory: string): Migration[] {
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return names.map((name) => {
    const bytes = readFileSync(join(directory, name, 'migration.sql'));
    const checksum = createHash('sha256').update(bytes).digest('hex');
    return { name, sql: bytes.toString('utf8'), checksum };
  });
}

interface Comparison {
  pending: Migration[];
  ahead: string[];
  problem: string | null;
}

function compare(files: readonly Migration[], history: readonly HistoryRow[]): Comparison {
  const known = new Map(files.map((file) => [file.name, file]));
  const applied = new Set(history.map((row) => row.migration_name));
  const last = files.at(-1)?.name ?? '';
  const pending = files.filter((file) => !applied.has(file.name));
  const ahead = [...applied].filter((name) => !known.has(name) && name > last).sort();
  return { pending, ahead, problem: problemOf() };

  function problemOf(): string | null {
    for (const { migration_name: name, checksum, finished } of history) {
      const file = known.get(name);
      if (!finished) {
        return `Migration ${name} failed before. Once the database is mended: UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${name}' AND finished_at IS NULL`;
      }
      if (file === undefined && !ahead.includes(name)) {
        return `Migration ${name} was applied to this database, but its file is missing from this release.`;
      }
      if (file !== undefined && file.checksum !== checksum) {
        return `Migration ${name} was edited after it was applied; write a new migration instead.`;
      }
    }
    const [first] = pending;
    if (first !== undefined && ahead.length > 0) {
      return `The database is ahead of this release (${ahead.join(', ')}), but never saw ${first.name}.`;
    }
    return null;
  }
}

async function historyOf(client: Asking): Promise<HistoryRow[]> {
  const { rows } = await client.query<HistoryRow>({
    text: `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  });
  return rows;
}

/** Postgres' error codes in a database without our first migration, which lacks the table and the role to act as. */
const UNDEFINED_TABLE = '42P01';
const UNDEFINED_ROLE = '22023';

async function historyOrNone(database: string | Pool): Promise<HistoryRow[]> {
  const owner =
    typeof database === 'string'
      ? createOwnerPool({ url: database, max: 1, application: 'countersign' })
      : null;
  try {
    return await historyOf(owner ?? (database as Pool).ofNoTenant);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === UNDEFINED_TABLE || code === UNDEFINED_ROLE) return [];
    throw error;
  } finally {
    await owner?.end();
  }
}

/** Postgres' codes for a lock that was not had in time, and for two who waited for each other. */
const NOT_LOCKED = ['55P03', '40P01'];
/** Other statements queue behind a migration that waits for a table, so it gives up soon, far within `deadlock_timeout`. */
const LOCK_TIMEOUT_MS = 300;
const LOCK_PAUSE_MS = 700;
/** Two minutes: a longer transaction is a backup or has been forgotten, and an operator has to end it. */
const MOST_ATTEMPTS = 120;

/** Again and again while others hold the tables that it changes, which go on working meanwhile. */
async function apply(client: pg.Client, file: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyOnce(client, file);
    } catch (error) {
      const { code } = (error as Error).cause as { code?: string };
      if (attempt === MOST_ATTEMPTS || !NOT_LOCKED.includes(code ?? '')) throw error;
      await delay(LOCK_PAUSE_MS);
    }
  }
}

async function applyOnce(client: pg.Client, file: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(file.sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), file.checksum, file.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw new Error(
      `Migration ${file.name} failed and was undone: ${(error as Error).message}${lineOf(file.sql, error)}`,
      { cause: error },
    );
  }
}

/** Where in the file Postgres stumbled, when it says so. */
function lineOf(sql: string, error: unknown): string {
  const position = Number((error as { position?: string }).position);
  return Number.isNaN(position) ? '' : ` (line ${sql.slice(0, position).split('\n').length})`;
}

/** Services ask {@link migrationStatus} under their own roles. */
async function letServicesReadHistory(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    'SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)',
    [Object.values(ROLES)],
  );
  if (rows.length === 0) return;
  const roles = rows.map((row) => row.rolname).join(', ');
  await client.query(`GRANT SELECT ON _prisma_migrations TO ${roles}`);
}
