import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES, createPool, migrate, migrationStatus } from '@countersign/database';
import { until } from '@countersign/dev-servers/testing';
import { sqlState, startTestServer } from './server.js';
import type { TestServer } from './server.js';

const OURS = join(import.meta.dirname, '../../packages/database/prisma/migrations');
const HOUSE = '20261120000000_house';

let server: TestServer;
const folders: string[] = [];

beforeAll(async () => {
  server = await startTestServer({ fresh: true });
});
afterAll(() => server.stop());

/** A release's migrations: name → SQL. */
function release(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-migrations-'));
  folders.push(folder);
  for (const [name, sql] of Object.entries(files)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  }
  return folder;
}
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const FIRST = { '1_first': 'CREATE TABLE first (id integer);' };
const SECOND = { ...FIRST, '2_second': 'CREATE TABLE second (id integer);' };

describe('an empty database', () => {
  it('is brought to our schema, with the history that Prisma would have written', async () => {
    const url = await server.emptyDatabase();
    expect((await migrationStatus(url)).state).toBe('older');
    const seen: string[] = [];
    expect(await migrate(url, { onApplied: (name) => seen.push(name) })).toContain(HOUSE);
    expect(seen).toContain(HOUSE);

    const sql = readFileSync(join(OURS, HOUSE, 'migration.sql'));
    const { rows } = await server
      .pool(url)
      .query('SELECT * FROM _prisma_migrations WHERE migration_name = $1', [HOUSE]);
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: createHash('sha256').update(sql).digest('hex'),
        finished_at: expect.any(Number),
        migration_name: HOUSE,
        logs: null,
        rolled_back_at: null,
        started_at: expect.any(Number),
        applied_steps_count: 1,
      },
    ]);
    expect(await migrationStatus(url)).toEqual({
      state: 'current',
      pending: [],
      ahead: [],
      problem: null,
    });
  });

  it('is migrated by an owner who may not make roles, when they exist', async () => {
    await server.migratedDatabase();
    const url = await server.emptyDatabase();
    const name = new URL(url).pathname.slice(1);
    const asOwner = new URL(url);
    await server
      .pool(url)
      .query(
        `CREATE ROLE plain_owner LOGIN PASSWORD '${asOwner.password}'; ALTER DATABASE ${name} OWNER TO plain_owner`,
      );
    asOwner.username = 'plain_owner';
    expect(await migrate(asOwner.href)).toContain(HOUSE);
  });
});

describe('a migrated database', () => {
  it('is not changed by a second run', async () => {
    const url = await server.emptyDatabase();
    await migrate(url);
    expect(await migrate(url)).toEqual([]);
  });

  it('is migrated once by four runs at the same time', async () => {
    const url = await server.emptyDatabase();
    const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(url)));
    expect(runs.filter((applied) => applied.length > 0)).toHaveLength(1);
    expect((await migrationStatus(url)).state).toBe('current');
  });

  it('takes only the missing migrations of a later release', async () => {
    const url = await server.emptyDatabase();
    await migrate(url, { directory: release(FIRST) });
    expect((await migrationStatus(url, release(SECOND))).pending).toEqual(['2_second']);
    expect(await migrate(url, { directory: release(SECOND) })).toEqual(['2_second']);
  });

  it('waits while Prisma holds its lock', async () => {
    const url = await server.emptyDatabase();
    const holder = await server.pool(url).connect();
    await holder.query('SELECT pg_advisory_lock(72707369)');
    let done = false;
    const run = migrate(url, { directory: release(FIRST) }).then(() => (done = true));
    const observer = server.pool(url);
    await until(async () => {
      const { rows } = await observer.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      return rows.length === 1;
    });
    expect(done).toBe(false);
    await holder.query('SELECT pg_advisory_unlock(72707369)');
    holder.release();
    await run;
  });
});

it('lets others work while it waits for a table that one of them holds', async () => {
  const url = await server.emptyDatabase();
  await migrate(url, { directory: release(FIRST) });
  const pool = server.pool(url);
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM first');
  let done = false;
  const changed = { ...FIRST, '2_second': 'ALTER TABLE first ADD COLUMN n integer;' };
  const run = migrate(url, { directory: release(changed) }).then(() => (done = true));
  // Behind a migration that waits for ever the table could not be read any more.
  for (let reads = 0; reads < 3; reads += 1) {
    await until(async () => {
      const { rows } = await pool.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      return rows.length === 1;
    });
    await pool.query('SELECT FROM first');
  }
  expect(done).toBe(false);
  await holder.query('ROLLBACK');
  holder.release();
  await run;
  expect((await pool.query('SELECT n FROM first')).rows).toEqual([]);
});

describe('refuses', () => {
  it('a file that was edited after it was applied', async () => {
    const url = await server.emptyDatabase();
    await migrate(url, { directory: release(FIRST) });
    const edited = release({ '1_first': `${FIRST['1_first']} ` });
    await expect(migrate(url, { directory: edited })).rejects.toThrow(/1_first was edited/);
    expect((await migrationStatus(url, edited)).state).toBe('refused');
  });

  it('a release that lost a file', async () => {
    const url = await server.emptyDatabase();
    await migrate(url, { directory: release(SECOND) });
    const lost = release({ '2_second': SECOND['2_second'] });
    await expect(migrate(url, { directory: lost })).rejects.toThrow(/1_first .* missing/);
  });

  it('a history that holds a failed file', async () => {
    const url = await server.emptyDatabase();
    await migrate(url, { directory: release(FIRST) });
    const owner = server.pool(url);
    await owner.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ($1, 'x', '2_second', 'boom')`,
      [randomUUID()],
    );
    await expect(migrate(url, { directory: release(SECOND) })).rejects.toThrow(/2_second failed/);
    await owner.query(
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '2_second'`,
    );
    expect(await migrate(url, { directory: release(SECOND) })).toEqual(['2_second']);
  });

  it('to leave anything of a failing file behind, and names its line', async () => {
    const url = await server.emptyDatabase();
    const broken = release({
      ...FIRST,
      '2_second': 'CREATE TABLE half (id integer);\nCREATE TABLE broken (id nonsense);',
    });
    await expect(migrate(url, { directory: broken })).rejects.toThrow(/2_second .*line 2/s);
    const owner = server.pool(url);
    expect(await sqlState(owner.query('TABLE first'))).toBeNull();
    expect(await sqlState(owner.query('TABLE half'))).toBe('42P01');
    expect(await migrate(url, { directory: release(SECOND) })).toEqual(['2_second']);
  });

  it('a database ahead of us that never saw one of our files', async () => {
    const url = await server.emptyDatabase();
    await migrate(url, { directory: release({ ...FIRST, '3_third': 'SELECT 1' }) });
    await expect(migrate(url, { directory: release(SECOND) })).rejects.toThrow(
      /never saw 2_second/,
    );
  });
});

describe('a service', () => {
  it('tolerates a newer schema, and an older release leaves it as it is', async () => {
    const url = await server.emptyDatabase();
    await migrate(url, { directory: release(SECOND) });
    expect(await migrationStatus(url, release(FIRST))).toEqual({
      state: 'newer',
      pending: [],
      ahead: ['2_second'],
      problem: null,
    });
    expect(await migrate(url, { directory: release(FIRST) })).toEqual([]);
  });

  it('sees its schema under its own role, and an older one as long as its role is missing', async () => {
    const url = await server.migratedDatabase();
    for (const name of Object.keys(ROLES) as (keyof typeof ROLES)[]) {
      expect((await migrationStatus(server.pool(url, name, 1))).state).toBe('current');
    }
    const empty = await server.emptyDatabase();
    expect((await migrationStatus(server.pool(empty, 'request', 1))).state).toBe('older');

    const early = createPool({
      url: empty,
      role: 'countersign_none' as (typeof ROLES)['ledger'],
      application: 'test',
    });
    expect((await migrationStatus(early)).state).toBe('older');
    await early.end();
  });

  it('reports a database that does not answer, instead of taking it for an old one', async () => {
    await expect(migrationStatus('postgres://127.0.0.1:1/none')).rejects.toThrow();
    await expect(migrate('postgres://127.0.0.1:1/none')).rejects.toThrow();
  });
});
