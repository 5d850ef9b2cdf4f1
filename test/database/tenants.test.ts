import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { ROLES, askOne, finishUpgrade, migrate, statement } from '@countersign/database';
import { explain } from '../bench/growth/plan.js';
import type { PlanNode } from '../bench/growth/plan.js';
import { NAMED } from '../bench/growth/named.js';
import { SERVICE_STATEMENTS } from '../bench/growth/statements.js';
import type { ServiceStatement } from '../bench/growth/statements.js';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

/** Who asks about more than one tenant, or before the tenant is known. Each addition here needs a reason. */
const ACROSS_TENANTS: readonly string[] = [
  // Sweeps of workers: due items of all tenants.
  'deadlines.overdue',
  'deadlines.upcoming',
  'deliveries.overdue',
  'deliveries.upcoming',
  'digests.overdue',
  'digests.upcoming',
  'housekeeping.claim',
  'housekeeping.enlist',
  'housekeeping.traces',
  'ledger.comparison-due',
  'ledger.unanchored',
  'ledger.waiting',
  'notices.overdue',
  'notices.upcoming',
  'notifier.behind',
  'notifier.most-behind',
  'reminders.overdue',
  'reminders.upcoming',
  'security.open-checkpoints',
  'security.unsigned',
  'security.waiting',
  'tree.behind',
  'tree.unwitnessed',
  // The gateway, before a tenant is known: by a digest, or by the identity of a person, who may be in several tenants.
  // And its metrics and ended sessions, of all tenants in one statement.
  'gateway.add-http-counts',
  'gateway.end-by-provider',
  'gateway.end-lapsed',
  'gateway.end-revoked',
  'gateway.finish-login',
  'gateway.has-choice',
  'gateway.people',
  'gateway.principal-of-token',
  'gateway.session',
  'gateway.session-state',
  'notices.oldest-untold',
  // Metrics over all tenants, events of concurrent readers, the security log on its way to collectors, public reads by a ledger's id, and whether
  // another tenant has a token already.
  'ledger.lag',
  'review.waiting',
  // Figures of legal holds.
  'request.held',
  // Which person of all tenants has a key.
  'request.forget-key-of-authenticator',
  'request.key-of-authenticator',
  // Figures for Prometheus.
  'request.keys-by-state',
  'request.holder-of-token',
  'security.lag',
  'security.save-events',
  'stream.begin',
  'stream.next',
  'stream.sent',
  'stream.sink-metrics',
  'stream.skip',
  'tree.published',
];

/** About nothing that belongs to a tenant. */
const OF_NO_TENANT: readonly string[] = [
  'database.now',
  'gateway.await-choice',
  'gateway.claim-login',
  'gateway.pending-choice',
  'gateway.probe',
  'gateway.restart-login',
  'gateway.start-login',
  'housekeeping.logins',
  'housekeeping.parcels',
  'parcel.put',
  'parcel.take',
  'stream.hold',
  'stream.release',
];

const MIGRATIONS = join(__dirname, '../../packages/database/prisma/migrations');

let server: TestServer;
let owner: pg.Pool;
let url: string;

beforeAll(async () => {
  server = await startTestServer();
  url = await server.migratedDatabase();
  owner = server.pool(url);
  await owner.query(WITHOUT_CONSTRAINTS);
  await owner.query(await oneRowEach(OTHER));
});
afterAll(() => server.stop());

/** The tenant of all rows that there are; statements ask for {@link ASKING}. */
const OTHER = 'other';
const ASKING = 't';

const TENANT_TABLES = `SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attname = 'tenant' AND NOT a.attisdropped
  ORDER BY 1`;

async function tenantTables(): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(TENANT_TABLES);
  return rows.map(({ name }) => name);
}

/** So that a row may hold any value that a statement looks for. */
const WITHOUT_CONSTRAINTS = `DO $$ DECLARE k record; BEGIN
  FOR k IN SELECT conname, conrelid::regclass AS of FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f') ORDER BY contype LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', k.of, k.conname);
  END LOOP;
END $$`;

/** SQL for a row in every table with a tenant, under the keys that the statements ask for. */
async function oneRowEach(tenant: string): Promise<string> {
  const { rows } = await owner.query<{ table: string; column: string; type: string }>(
    `SELECT table_name::text AS table, column_name::text AS column, data_type::text AS type
     FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = ANY ($1) AND is_generated = 'NEVER' AND identity_generation IS NULL`,
    [await tenantTables()],
  );
  const inserts = [...new Set(rows.map(({ table }) => table))].map((table) => {
    const columns = rows.filter((of) => of.table === table);
    const names = columns.map(({ column }) => `"${column}"`).join(', ');
    const values = columns.map((of) => valueOf(of, tenant)).join(', ');
    return `INSERT INTO ${table} (${names}) VALUES (${values})`;
  });
  // Without triggers: no row has the rows that it refers to.
  return `BEGIN; SET LOCAL session_replication_role = replica; ${inserts.join(';\n')}; COMMIT`;
}

function valueOf({ column, type }: { column: string; type: string }, tenant: string): string {
  if (column === 'tenant') return `'${tenant}'`;
  const named = NAMED[column];
  if (named !== undefined) return `'${named}'`;
  if (type === 'uuid') return `'${NAMED['id']}'`;
  if (/^(bigint|integer|smallint|double precision)$/.test(type)) return '1';
  if (type === 'jsonb') return `'{}'`;
  if (type === 'boolean') return 'true';
  if (type === 'date' || type.startsWith('timestamp')) {
    return `now() + interval '${column.includes('expires') ? 1 : -1} hours'`;
  }
  return `'{}'`;
}

/** The statement without any condition on a tenant. */
function withoutTenant(text: string): string {
  return text
    .replaceAll(/\b(?:\w+\.)?tenant = (\$\d+)(?!\d)/g, '$1::text IS NOT NULL')
    .replaceAll(/\b\w+\.tenant = \w+\.tenant\b/g, 'true');
}

/** Rows of tenants' tables that its scans gave on, once Postgres and its own conditions have passed over the others. */
function rowsRead(node: PlanNode, tables: readonly string[]): number {
  const table = node['Relation Name'];
  const own =
    table !== undefined && tables.includes(table) && node['Node Type'].endsWith('Scan')
      ? (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0)
      : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, tables), own);
}

/** Runs each statement without its tenant, for one who has no rows, and tells which of them read another's rows. */
async function crossing(scope: string, of: readonly ServiceStatement[]): Promise<string[]> {
  const tables = await tenantTables();
  const found: string[] = [];
  const client = await owner.connect();
  try {
    for (const statement of of) {
      await client.query('BEGIN');
      await client.query(`SET LOCAL ROLE ${ROLES[statement.role]}`);
      await client.query(`SELECT set_config('countersign.tenant', $1, true)`, [scope]);
      const text = withoutTenant(statement.text);
      const name = `${statement.role} ${statement.name}`;
      try {
        const { Plan } = await explain(client, { ...statement, text }, { run: true });
        if (rowsRead(Plan, tables) > 0) found.push(name);
      } catch (error) {
        // A step that must move every row found none to move, and is undone.
        const isUndone = (error as { code?: string }).code === 'CSQ02';
        if (!isUndone) found.push(`${name}: ${(error as Error).message}`);
      }
      await client.query('ROLLBACK; DEALLOCATE ALL');
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  return found;
}

const those = (about: ServiceStatement['about']) =>
  SERVICE_STATEMENTS.filter((of) => of.about === about);
const namesOf = (about: 'all' | 'none') =>
  those(about)
    .map(({ name }) => name)
    .sort();

it('a statement that forgets its tenant reads and changes no row of another', async () => {
  const about = those('tenant').filter(({ text }) => withoutTenant(text) !== text);
  // Nearly all of them are about a tenant's rows.
  expect(about.length).toBeGreaterThan(120);
  expect(await crossing(ASKING, about)).toEqual([]);
  // They do reach those rows, and nothing but the scope keeps them from it.
  const crossed = (await crossing('*', about)).filter((found) => !found.includes(': '));
  expect(crossed.length).toBeGreaterThan(80);
});

it('statements about many tenants are those of the list', () => {
  expect(namesOf('all')).toEqual([...ACROSS_TENANTS].sort());
});

it('statements about none are those of the list, and see no tenant’s rows', async () => {
  expect(namesOf('none')).toEqual([...OF_NO_TENANT].sort());
  expect(await crossing('!', those('none'))).toEqual([]);
});

it('a statement is asked in the scope of the tenant that it names', async () => {
  const scope = statement(
    'scope',
    `SELECT current_setting('countersign.tenant', true) AS scope, $1::text AS tenant`,
  );
  const pool = server.pool(url, 'request');
  // That of the installation has the empty name.
  for (const tenant of ['', 't']) {
    expect(await askOne(pool, scope, { tenant })).toEqual({ scope: tenant, tenant });
  }
  expect(those('tenant').filter(({ names }) => names[0] !== 'tenant')).toEqual([]);
});

it('every table with tenants has the policy, for all commands and roles', async () => {
  const { rows } = await owner.query(
    `SELECT c.relname::text AS name FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid
     WHERE c.relrowsecurity AND p.polname = 'tenant_scope' AND NOT p.polpermissive AND p.polcmd = '*' AND p.polroles = '{0}'
       AND pg_get_expr(p.polqual, p.polrelid) = 'in_scope(tenant)' AND p.polwithcheck IS NULL ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name as string)).toEqual(await tenantTables());
});

function migrationsBefore(first: string): string {
  const before = mkdtempSync(join(tmpdir(), 'countersign-migrations-'));
  for (const name of readdirSync(MIGRATIONS).filter((folder) => folder < first)) {
    cpSync(join(MIGRATIONS, name), join(before, name), { recursive: true });
  }
  return before;
}

/** How many tenants a connection of the request service sees; `scope` null: it never named one. */
async function tenantsSeen(of: pg.Pool, scope: string | null): Promise<number> {
  const client = await of.connect();
  try {
    await client.query(`BEGIN; SET LOCAL ROLE ${ROLES.request}`);
    if (scope !== null)
      await client.query(`SELECT set_config('countersign.tenant', $1, true)`, [scope]);
    const { rows } = await client.query<{ many: number }>('SELECT count(*) AS many FROM tenant');
    return rows[0]?.many ?? -1;
  } finally {
    await client.query('ROLLBACK');
    // A setting that was made once is there, empty, for ever.
    client.release(true);
  }
}

it('a scope shows one tenant, all or none, and a connection without a named scope shows none', async () => {
  await owner.query(
    `INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
     VALUES ('a', gen_random_uuid(), gen_random_uuid(), false, now())`,
  );
  for (const [scope, many] of [
    ['a', 1],
    ['*', 2],
    ['!', 0],
    ['', 0],
    ['nobody', 0],
    [null, 0],
  ] as const) {
    expect([scope, await tenantsSeen(owner, scope)]).toEqual([scope, many]);
  }
});

it('beside processes of the version before, a connection that names none sees all until the upgrade is finished', async () => {
  const upgraded = await server.emptyDatabase();
  const before = migrationsBefore('20261123010000');
  await migrate(upgraded, { directory: before });
  rmSync(before, { recursive: true });
  const pool = server.pool(upgraded);
  await pool.query(
    `INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
     VALUES ('a', gen_random_uuid(), gen_random_uuid(), false, now())`,
  );
  await migrate(upgraded);
  expect(await tenantsSeen(pool, null)).toBe(1);
  for (const scope of ['!', '', 'b']) expect(await tenantsSeen(pool, scope)).toBe(0);
  await finishUpgrade(pool);
  expect(await tenantsSeen(pool, null)).toBe(0);
  expect(await tenantsSeen(pool, 'a')).toBe(1);
});
