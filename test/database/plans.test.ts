import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ROLES } from '@countersign/database';
import type { RoleName } from '@countersign/database';
import { QUOTA_AMOUNTS } from '@countersign/request';
import { explain, scansOf } from '../bench/growth/plan.js';
import type { Plan, Scan } from '../bench/growth/plan.js';
import { SERVICE_STATEMENTS } from '../bench/growth/statements.js';
import { growth } from './growth.js';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

/**
 * The keys of a walk along an index, beside the tenant. `page`: it ends after so many rows in the index's order, of which
 * it passes over hardly any.
 */
interface Key {
  readonly by: readonly string[];
  readonly page?: true;
}
const by = (...columns: string[]): Key => ({ by: columns });
const page = (...columns: string[]): Key => ({ by: columns, page: true });

/** The tables that grow with the requests, and the keys that lead to no more of their rows than are asked for. */
const KEYS: Record<string, readonly Key[]> = {
  lifecycle: [
    by('request_id'),
    by('decision', 'accepted_at'),
    by('review_deadline'),
    page('decision'),
    // Decided on one route, newest first.
    page('route', 'receipt_id'),
    // All that is pending, in an index of their own: quotas count them up to the quota.
    page(),
  ],
  // The requests of one bundle; those of one occurrence, of which a page is taken.
  request: [by('id'), by('bundle_id'), page('owner', 'occurrence')],
  material: [by('request_id')],
  record: [by('id'), by('request_id'), by('issued_at')],
  ledger_entry: [by('sequence'), by('request_id')],
  event: [by('owner', 'sequence'), by('request_id')],
  // Records that wait for the chain: few.
  outbox: [by('id'), by()],
  // The operation of a review names its request.
  idempotency: [
    by('principal', 'operation', 'key'),
    by('principal', 'operation'),
    by('request_id'),
    by('created_at'),
  ],
  deadline: [by('request_id'), by('due')],
  candidate: [by('request_id'), by('reviewer', 'created_at')],
  assignment: [by('request_id')],
  approval: [by('request_id'), by('reviewer', 'approved_at'), by('credential', 'approved_at')],
  approval_person: [by('request_id')],
  credential_bound: [by('id'), by('person'), by('principal'), by('credential_id')],
  enrolment_offer: [by('principal')],
  approval_offer: [by('digest'), by('person')],
  user_handle: [by('person')],
  reading: [by('request_id')],
  quorum_state: [by('request_id')],
  request_evidence: [by('request_id')],
  occurrence: [by('owner', 'occurrence')],
  execution_identity: [by('owner', 'identity')],
  nonce: [by('request_id')],
  delivery: [by('id'), by('request_id'), by('next_at'), by('kind', 'state', 'created_at')],
  // Those that are open: few, in an index of their own.
  trace: [by('record_id'), by('created_at')],
  checkpoint: [by('generation', 'sequence'), page('generation'), page()],
  tree_tile: [by('level', 'index')],
  tree_head: [by('generation', 'size'), page('generation')],
  tree_cosignature: [by('generation', 'size'), page('generation', 'witness', 'key_id')],
};

/** Statements about many rows of a tenant by their purpose, and the tables of these rows. */
const ABOUT_MANY: Record<string, readonly string[]> = {
  'ledger.metrics': ['lifecycle', 'material', 'checkpoint', 'deadline', 'delivery'],
  // Of a range of time, up to a number of each state.
  'figures.read': ['lifecycle', 'record', 'candidate'],
  // A reviewer leaves: every open request of the tenant.
  'request.drop-assignments': ['lifecycle'],
  'request.drop-candidates': ['lifecycle'],
  'request.opened': ['lifecycle'],
  // Keys that wait are few, and the first other one ends it.
  'request.has-counted': ['credential_bound'],
  'request.keys-by-state': ['credential_bound'],
  'admin.keys': ['credential_bound'],
};

/**
 * Of the rows of a page few are passed over by these: reviews that just expired, checkpoints that were just made, requests that only
 * a legal hold keeps.
 */
const PASSED_OVER = ['review_deadline', 'acceptance', 'hidden'];

/** The functions that make statements, with the name of each; of a table that of the first. */
const MADE =
  /\b(statements?|stepStatement|customStep|batchStatement|sized)\(\s*'([^']+)'(?:, \{\s*(?:\/\/[^\n]*\s*)*(\w+):)?/g;
/** Asked by commands, as the owner of the database, and not on a service's connection. */
const OF_THE_OWNER = ['database.retire'];
/** How a connection is asked. A transaction's begin and end are no statements of a store. */
const ASKED = /\.query(?:<[^(]*>)?\(\s*[\w`'"{]+(?: \w+)?/g;
const ALLOWED = /query(?:<[^(]*>)?\(\s*(?:asked$|'(?:BEGIN|ROLLBACK))/;

/** By path, the code of the services and of what they share. */
function productSources(): Map<string, string> {
  const root = join(__dirname, '../..');
  const paths = ['services', 'packages/database'].flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
      .map((path) => `${part}/${path}`)
      .filter((path) =>
        /^(services\/[\w-]+|packages\/database)\/src\/.*(?<!\.test)\.ts$/.test(path),
      ),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

function faultOf(scan: Scan): string | null {
  const keys = KEYS[scan.table];
  if (keys === undefined || scan.index === 'ctid') return null;
  if (scan.index === null) return `reads all of ${scan.table}`;
  const isPage = scan.limited && scan.filtered.every((column) => PASSED_OVER.includes(column));
  const fits = keys.some(
    (key) => key.by.every((column) => scan.by.includes(column)) && (!key.page || isPage),
  );
  return fits ? null : `reads ${scan.table} by ${scan.by.join(', ')} of ${scan.index}`;
}

function faultsOf(name: string, plan: Plan): string[] {
  return scansOf(plan.Plan)
    .filter(({ table }) => ABOUT_MANY[name]?.includes(table) !== true)
    .flatMap((scan) => faultOf(scan) ?? [])
    .map((fault) => `${name} ${fault}`);
}

let server: TestServer;
const urls: Record<string, string> = {};

beforeAll(async () => {
  server = await startTestServer();
  // Only this test analyses tables.
  const postgres = server.pool(await server.emptyDatabase());
  await postgres.query('ALTER SYSTEM SET autovacuum = off');
  await postgres.query('SELECT pg_reload_conf()');
  for (const [name, fill] of [
    ['new and empty', ''],
    ['full and never analysed', growth(4000)],
    ['full and analysed', `${growth(4000)}; ANALYZE`],
    ['analysed when it had ten requests', `${growth(10)}; ANALYZE; ${growth(4000)}`],
  ] as const) {
    const url = await server.migratedDatabase();
    await server.pool(url).query(fill);
    urls[name] = url;
  }
});
afterAll(() => server.stop());

/** With the settings that the service's connections have. */
async function plansOf(url: string): Promise<[name: string, Plan][]> {
  const plans: [string, Plan][] = [];
  const clients = new Map<RoleName, pg.PoolClient>();
  for (const statement of SERVICE_STATEMENTS) {
    const { role, name } = statement;
    const client = clients.get(role) ?? (await server.pool(url, role, 1).connect());
    clients.set(role, client);
    plans.push([name, await explain(client, statement)]);
  }
  for (const client of clients.values()) client.release();
  return plans;
}

/** The statements of the database's own functions, as Postgres reports them. */
async function functionPlansOf(url: string): Promise<[name: string, Plan][]> {
  const client = new pg.Client({ connectionString: url });
  const plans: [string, Plan][] = [];
  client.on('notice', ({ message }) => {
    const plan = /^duration: .* plan:\s(.*)$/s.exec(message ?? '')?.[1];
    if (plan === undefined) return;
    const { 'Query Text': text, ...rest } = JSON.parse(plan) as Plan & { 'Query Text': string };
    plans.push([text.trim().replace(/\s+/g, ' ').slice(0, 120), rest]);
  });
  await client.connect();
  try {
    await client.query(`LOAD 'auto_explain'`);
    const { rows: settings } = await server
      .pool(url, 'request')
      .query(
        `SELECT name, setting FROM pg_settings WHERE source = 'client' AND name ~ '^(enable_|plan_)'`,
      );
    const explaining = {
      log_level: 'notice',
      log_format: 'json',
      log_verbose: 'on',
      log_nested_statements: 'on',
      log_min_duration: '0',
    };
    for (const [name, value] of Object.entries(explaining)) {
      settings.push({ name: `auto_explain.${name}`, setting: value });
    }
    for (const { name, setting } of settings) {
      await client.query('SELECT set_config($1, $2, false)', [name, setting]);
    }
    for (const [role, call] of FUNCTIONS) {
      await client.query(
        `BEGIN; SET LOCAL ROLE ${ROLES[role]}; SET LOCAL countersign.tenant = 't'; SELECT ${call}; ROLLBACK`,
      );
    }
  } finally {
    await client.end();
  }
  return plans;
}

const AMOUNTS = `'${JSON.stringify(QUOTA_AMOUNTS)}'::jsonb`;
const LIFTED = `'${JSON.stringify({ ...QUOTA_AMOUNTS, outstanding_owner: 1e6, outstanding_tenant: 1e6 })}'::jsonb`;
const FUNCTIONS: readonly [RoleName, string][] = [
  ['ledger', `ledger_drain('t', 100)`],
  ['request', `creation_refusal('t', 'owner', 'publisher', 1000000, ${AMOUNTS})`],
  ['request', `take_creation_quota('t', 'owner', 'route', 1, 'publisher', 1000000, ${LIFTED})`],
  ['request', `bundle_refusal('t', 'publisher', ${AMOUNTS})`],
  ['request', `take_bundle_quota('t', 'publisher', 1, ${AMOUNTS})`],
];

describe.each([
  'new and empty',
  'full and never analysed',
  'full and analysed',
  'analysed when it had ten requests',
])('on a database that is %s', (name) => {
  it('every statement of a service walks an index that fits', async () => {
    const plans = await plansOf(urls[name] as string);
    expect(plans.length).toBeGreaterThan(60);
    expect(plans.flatMap(([of, plan]) => faultsOf(of, plan))).toEqual([]);
  });

  it('so does every statement of the functions', async () => {
    const plans = await functionPlansOf(urls[name] as string);
    expect(plans.length).toBeGreaterThan(10);
    expect(plans.flatMap(([of, plan]) => faultsOf(of, plan))).toEqual([]);
  });
});

it('knows every statement that is made by its name', () => {
  const known = new Set(SERVICE_STATEMENTS.map(({ name }) => name));
  const made = [...productSources()].flatMap(([, text]) =>
    [...text.matchAll(MADE)].map(([, how, name = '', first = '']) => {
      if (how === 'sized') return `${name}-small`;
      if (how !== 'statements') return name;
      return `${name}.${first.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    }),
  );
  expect(made.filter((name) => !known.has(name) && !OF_THE_OWNER.includes(name))).toEqual([]);
  expect(made.length).toBeGreaterThan(50);
  expect(SERVICE_STATEMENTS.map(({ name }) => name)).toEqual([...known]);
});

it('services ask no statement but those', () => {
  const asking = [...productSources()]
    .filter(([path]) => path.startsWith('services/'))
    .flatMap(([path, text]) => [...text.matchAll(ASKED)].map(([how]) => `${path}: ${how}`));
  expect(asking.filter((how) => !ALLOWED.test(how))).toEqual([]);
  expect(asking.length).toBeGreaterThan(5);
});

it.each([
  ['SELECT digest FROM record WHERE tenant = $1 AND digest = $2', 'reads record by tenant'],
  ['SELECT r.summary FROM request r WHERE r.summary = $1 || $2', 'reads all of request'],
  [
    `UPDATE lifecycle l SET version = l.version + 1 FROM unnest($2::uuid[]) AS m (id)
     WHERE l.tenant = $1 AND l.request_id = m.id`,
    'reads lifecycle by tenant',
  ],
])('would tell of %s', async (text, fault) => {
  const client = await server.pool(urls['new and empty'] as string, 'request', 1).connect();
  const plan = await explain(client, { text, names: ['a', 'b'] });
  client.release();
  expect(faultsOf('it', plan)).toEqual([expect.stringContaining(fault)]);
});
