import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { ROLES, createOwnerPool, createPool, migrate } from '@countersign/database';
import type { Pool, RoleName, ScopedPool } from '@countersign/database';
import { testPostgres } from '@countersign/dev-servers/testing';
import { copyCluster } from '../support/cluster.js';

export const ROLE_NAMES = Object.keys(ROLES) as RoleName[];

/** A service's pool. A test's own statements run across tenants. */
export type TestPool = Pool & ScopedPool;

/** A Postgres server of a test file's own, and databases on it. */
export interface TestServer {
  /** A new, empty database: its URL as the owner. */
  emptyDatabase(): Promise<string>;
  /** A new database with our schema. */
  migratedDatabase(): Promise<string>;
  /** The owner's pool, closed together with the server. */
  pool(url: string): pg.Pool;
  /** As a service would open it. */
  pool(url: string, name: RoleName, max?: number): TestPool;
  stop(): Promise<void>;
}

/** With `fresh` its cluster was never migrated, and has none of our roles. */
export async function startTestServer({ fresh = false } = {}): Promise<TestServer> {
  let migrated = false;
  const prepare = (dir: string) => void (migrated = !fresh && copyCluster(dir, 'schema'));
  // Nothing here must outlive the server.
  const server = await testPostgres({ fsync: 'off', full_page_writes: 'off' }, prepare);
  const pools: { end(): Promise<void> }[] = [];
  const at = (database: string) => Object.assign(new URL(server.url), { pathname: database }).href;
  // Not on the database of the cluster, which is for the tests.
  const owner = createOwnerPool({ url: at('postgres'), max: 1, application: 'test server' });

  async function emptyDatabase(): Promise<string> {
    const name = `t_${randomUUID().replaceAll('-', '')}`;
    await owner.query(`CREATE DATABASE ${name}`);
    return at(name);
  }

  /** The one of a copied cluster first, for a copy of a database would lack what is granted on it. */
  async function migratedDatabase(): Promise<string> {
    if (migrated) {
      migrated = false;
      return server.url;
    }
    const url = await emptyDatabase();
    await migrate(url);
    return url;
  }

  function pool(url: string): pg.Pool;
  function pool(url: string, name: RoleName, max?: number): TestPool;
  function pool(url: string, name?: RoleName, max = 4): pg.Pool | TestPool {
    const made =
      name === undefined
        ? createOwnerPool({ url, max, application: 'test' })
        : servicePool({ url: asLogin(url, name), role: ROLES[name], max, application: 'test' });
    pools.push(made);
    return made;
  }

  return {
    emptyDatabase,
    async migratedDatabase() {
      const url = await migratedDatabase();
      await makeLogins(owner, new URL(server.url).password);
      return url;
    },
    pool,
    async stop() {
      await Promise.all([owner, ...pools].map((pool) => pool.end()));
      await server.remove();
    },
  };
}

export function servicePool(options: Parameters<typeof createPool>[0]): TestPool {
  const pool = createPool(options);
  return { ...pool.acrossTenants, ...pool };
}

/**
 * The logins that operators make for our group roles: one for each service, a member of exactly one; all with the owner's
 * password.
 */
async function makeLogins(owner: pg.Pool, password: string): Promise<void> {
  for (const name of ROLE_NAMES) {
    await owner
      .query(
        `CREATE ROLE "${loginOf(name)}" LOGIN NOINHERIT PASSWORD '${password}' IN ROLE ${ROLES[name]}`,
      )
      .catch((error: { code?: string }) => {
        if (error.code !== '42710') throw error;
      });
  }
}

export function loginOf(name: RoleName): string {
  return `login-${name}`;
}

export function asLogin(url: string, name: RoleName): string {
  const changed = new URL(url);
  changed.username = loginOf(name);
  return changed.href;
}

/** The SQLSTATE that a statement fails with, or null when it succeeds. */
export async function sqlState(run: Promise<unknown>): Promise<string | null> {
  try {
    await run;
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** SQLSTATE insufficient_privilege: a missing grant, or a policy. */
export const REFUSED = '42501';

/** A new tenant without anything in it; resolves to its name. */
export async function insertTenant(owner: pg.Pool): Promise<string> {
  const tenant = `tenant-${randomUUID()}`;
  await owner.query(
    `INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
     VALUES ($1, gen_random_uuid(), gen_random_uuid(), false, clock_timestamp())`,
    [tenant],
  );
  return tenant;
}
