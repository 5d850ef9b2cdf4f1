import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Instance } from './instance.js';
import { until } from './requests.js';

/** A connection as the owner of the instance's schema, who sees everything. */
export async function connectTo({ dataDirectory }: Instance): Promise<pg.Client> {
  const { urls } = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8')) as {
    urls: { DATABASE_URL: string };
  };
  const client = new pg.Client({ connectionString: urls.DATABASE_URL });
  await client.connect();
  return client;
}

/** Until every tenant's whole ledger is anchored: after a restore the rest would be signed anew. */
export async function untilAnchored(instance: Instance): Promise<void> {
  const database = await connectTo(instance);
  try {
    const behind = `SELECT count(*)::integer AS many FROM ledger_head h WHERE h.anchored_sequence < h.sequence
      OR EXISTS (SELECT 1 FROM outbox o WHERE o.tenant = h.tenant)`;
    await until(
      async () => (await database.query<{ many: number }>(behind)).rows[0]?.many,
      (many) => many === 0,
      30_000,
    );
  } finally {
    await database.end();
  }
}

/**
 * Tables that reads, refusals or the clock alone change, and so no facts about a request: metrics, sessions, bodies in
 * transit, rows that wait for their time or for their place in the chain, and the end of the chain, which its entries show
 * too.
 */
const PASSING = [
  'http_count',
  'operation_run',
  'session',
  'last_login',
  'mail_preference',
  'chat_notice',
  'logout_token',
  'login_attempt',
  'parcel',
  'trace',
  'outbox',
  'deadline',
  'delivery',
  'delivery_cursor',
  'mail_window',
  'checkpoint',
  'ledger_head',
  'tree',
  'tree_tile',
  'tree_head',
  'tree_cosignature',
  'security_event',
  'security_head',
  'security_entry',
  'security_checkpoint',
  'event_head',
  'quota_day',
  'quota_bucket',
  'delivery_cursor',
  'mail_window',
  'housekeeping',
];
/** Columns of other tables with the time of the last reading. */
const PASSING_COLUMNS = ['compared_at'];

/** Not apart by request: it may move with work in the background that is told, and must not when nothing is. */
const SUMS = ['retained'];
/** Rows of other tables that callers make; the rest is noted in the background, whenever something is seen. */
const ONLY: Readonly<Record<string, string>> = { incident: `x.code = 'outcome_without_admission'` };

/** The reasons of steps without a caller: anchoring, deadlines, retention. */
const BACKGROUND = ['anchor_accepted', 'expiry', 'reconciliation_due'];
/** Of retention; a caller's `request.discard` tells the same, but for who did it. */
const RETENTION = ['MaterialDiscarded by system', 'material_deleted'];

/** All facts, by their subject: `<tenant> <request id>`, or `<tenant> <table>` for the rest. */
export interface Truths {
  readonly digests: ReadonlyMap<string, string>;
  /** Of each request its records, in the order of the chain: types, and reasons of events. */
  readonly told: ReadonlyMap<string, readonly string[]>;
}

interface Column {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Until nothing that is committed waits for its place in a chain. */
export async function untilChained(database: pg.Client): Promise<void> {
  await until(
    () => isChained(database),
    (chained) => chained,
  );
}

async function isChained(database: pg.Client): Promise<boolean> {
  return (await database.query('SELECT 1 FROM outbox LIMIT 1')).rowCount === 0;
}

/**
 * All rows that belong to a tenant, once the work is chained: of one snapshot, so that changes in the background are in the
 * rows and in their records, or in neither.
 */
export async function readTruths(database: pg.Client): Promise<Truths> {
  for (;;) {
    await untilChained(database);
    await database.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      if (await isChained(database)) return await truthsNow(database);
    } finally {
      await database.query('COMMIT');
    }
  }
}

async function truthsNow(database: pg.Client): Promise<Truths> {
  const { rows: tables } = await database.query<Column>(
    `SELECT c.relname AS table, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)
     GROUP BY 1 HAVING 'tenant' = ANY (array_agg(a.attname)) ORDER BY 1`,
    [PASSING],
  );
  const digests = new Map<string, string>();
  const parts = tables.map(({ table, columns }) => {
    const lasting = columns.filter((name) => !PASSING_COLUMNS.includes(name));
    const row = `ROW(${lasting.map((name) => `x.${name}`).join()})::text`;
    const id = table === 'request' ? 'id' : columns.includes('request_id') ? 'request_id' : null;
    const about =
      id === null || SUMS.includes(table) ? `'${table}'` : `coalesce(x.${id}::text, '${table}')`;
    return `SELECT x.tenant || ' ' || ${about} AS about, '${table}' || md5(string_agg(${row}, ',' ORDER BY ${row})) AS digest
      FROM ${table} x WHERE ${ONLY[table] ?? 'true'} GROUP BY 1`;
  });
  const { rows } = await database.query<{ about: string; digest: string }>(
    `SELECT about, string_agg(digest, ',' ORDER BY digest) AS digest FROM (${parts.join(' UNION ALL ')}) y GROUP BY 1`,
  );
  for (const { about, digest } of rows) digests.set(about, digest);
  const { rows: records } = await database.query<{ about: string; told: string[] }>(
    `SELECT x.tenant || ' ' || x.request_id AS about, array_agg(CASE x.type
         WHEN 'RequestChangedEvent' THEN x.record::jsonb #>> '{payload,reason}'
         WHEN 'MaterialDiscarded' THEN x.type || ' by ' || (x.record::jsonb #>> '{payload,recorded_by,kind}')
         ELSE x.type END ORDER BY e.sequence) AS told
     FROM record x LEFT JOIN ledger_entry e ON e.tenant = x.tenant AND e.record_id = x.id
     WHERE x.request_id IS NOT NULL GROUP BY 1`,
  );
  return { digests, told: new Map(records.map(({ about, told }) => [about, told])) };
}

/** The changes, except those that time makes and records by itself. */
export function changesBetween(before: Truths, after: Truths): readonly string[] {
  const passed = new Set<string>();
  for (const [about, told] of after.told) {
    const news = told.slice(before.told.get(about)?.length ?? 0);
    const [tenant] = about.split(' ');
    if (news.length === 0 || !isBackground(news)) continue;
    passed.add(about);
    for (const sum of SUMS) passed.add(`${tenant} ${sum}`);
  }
  const all = new Set([...before.digests.keys(), ...after.digests.keys()]);
  return [...all].filter(
    (about) => before.digests.get(about) !== after.digests.get(about) && !passed.has(about),
  );
}

/** Whether steps without a caller tell just that. */
export function isBackground(news: readonly string[]): boolean {
  const others = news.filter((told) => !BACKGROUND.includes(told));
  return others.length === 0 || others.join() === RETENTION.join();
}
