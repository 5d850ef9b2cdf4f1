import type pg from 'pg';
import type { Ground } from './ground.js';
import { CHECKPOINT_EVERY, dropPlaces, makePlaces } from './places.js';
import type { Kind } from './templates.js';
import { untilQuiet } from './templates.js';

/** Tables with rows of a request, and the column that names it. */
const COPIED = {
  request: 'id',
  material: 'request_id',
  lifecycle: 'request_id',
  candidate: 'request_id',
  assignment: 'request_id',
  record: 'request_id',
  ledger_entry: 'request_id',
  event: 'request_id',
  idempotency: 'request_id',
  deadline: 'request_id',
  delivery: 'request_id',
  occurrence: 'request_id',
  execution_identity: 'request_id',
  nonce: 'request_id',
} as const;
type Table = keyof typeof COPIED;

/** Rows of one statement. */
const BATCH = 50_000;

/**
 * Gives the tenant so many requests more: copies of the templates, a row for a row, with ids, owners, routes, times and
 * digests of their own. Their signatures are not theirs, so they do not verify; the product, which trusts its own database,
 * works with them. Ledger and events go on where they stood.
 */
export async function fill(
  ground: Ground,
  templates: Readonly<Record<Kind, string>>,
  requests: number,
  wanted: { readonly claimable: number } | null,
  say: (line: string) => void,
): Promise<void> {
  const { database, tenant, producer } = ground;
  await untilQuiet(ground);
  // The chain's writer waits until its head is where the entries end.
  await database.query('BEGIN; SET LOCAL synchronous_commit = off');
  await database.query('SELECT FROM ledger_head WHERE tenant = $1 FOR UPDATE', [tenant]);
  await makePlaces(ground, templates, requests, wanted);
  for (const [table, key] of Object.entries(COPIED) as [Table, string][]) {
    const began = performance.now();
    const copy = copySql(table, key, await columnsOf(database, table));
    for (let first = 1; first <= requests; first += BATCH) {
      await database.query(copy, [tenant, first, first + BATCH - 1, producer.id]);
    }
    const seconds = (performance.now() - began) / 1000;
    if (seconds > 5) say(`  ${table}: ${seconds.toFixed(0)} s`);
  }
  await database.query(CHECKPOINTS, [tenant]);
  await database.query(HEADS, [tenant]);
  await database.query(DIRECTORY, [tenant, producer.id]);
  await dropPlaces(database);
  await database.query('COMMIT');
}

interface Column {
  readonly name: string;
  readonly type: string;
}

async function columnsOf(database: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await database.query<Column>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  return rows;
}

/** $1 tenant, $2 and $3 first and last place, $4 the templates' owner. */
function copySql(table: Table, key: string, columns: readonly Column[]): string {
  const values = columns.map((column) => valueOf(table, key, column));
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
    SELECT ${values.join(', ')} FROM growth.place n JOIN ${table} t ON t.tenant = $1 AND t.${key} = n.template
    ${JOINS[table] ?? ''}
    WHERE n.place BETWEEN $2 AND $3 AND $4::text IS NOT NULL ORDER BY n.place`;
}

/** The immutable request with its own names; one without an occurrence has nothing to replace there. */
const RENAMED = [
  [`t.id::text`, `n.id::text`],
  [quoted(`coalesce(t.occurrence, t.id::text)`), quoted(`'growth/' || n.id`)],
  [`'"producer":' || ${quoted('t.owner')}`, `'"producer":' || ${quoted('n.owner')}`],
  [`'"route":' || ${quoted('t.route')}`, `'"route":' || ${quoted('n.route')}`],
].reduce((text, [from, to]) => `replace(${text}, ${from}, ${to})`, 't.canonical');

function quoted(text: string): string {
  return `'"' || ${text} || '"'`;
}

const JOINS: Partial<Record<Table, string>> = {
  request: `CROSS JOIN LATERAL (SELECT ${RENAMED} AS canonical OFFSET 0) q`,
  ledger_entry: 'JOIN growth.template_entry e ON e.sequence = t.sequence',
  event: 'JOIN growth.template_entry e ON e.record_id = t.record_id',
  lifecycle: 'LEFT JOIN growth.template_entry e ON e.sequence = t.receipt_sequence',
};

/** Exceptions from the rules of {@link valueOf}, by table and column. */
const VALUES: Readonly<Record<string, string>> = {
  'request.canonical': 'q.canonical',
  'request.digest': `'sha256:' || encode(sha256(convert_to(q.canonical, 'UTF8')), 'hex')`,
  'lifecycle.receipt_sequence': 'n.entries_before + e.ordinal',
  'lifecycle.anchor_sequence': `CASE WHEN t.anchor_sequence IS NOT NULL
    THEN ceil((n.entries_before + e.ordinal) / ${CHECKPOINT_EVERY}.0) * ${CHECKPOINT_EVERY} END`,
  'lifecycle.anchor_generation': 't.anchor_generation',
  'ledger_entry.sequence': 'n.entries_before + e.ordinal',
  'ledger_entry.head': headOf('n.entries_before + e.ordinal'),
  'ledger_entry.previous_head': headOf('n.entries_before + e.ordinal - 1'),
  'event.sequence': 'n.events_before + e.event_ordinal',
  'idempotency.principal': 'CASE WHEN t.principal = $4 THEN n.owner ELSE t.principal END',
  'idempotency.key': `left(t.key, 40) || '/' || n.id`,
  'request.bundle_id': 't.bundle_id',
  // Nothing is left to be sent.
  'delivery.state': `'accepted'`,
};

/** No head that belongs to anything, but the same for the same place of the chain. */
function headOf(sequence: string): string {
  return `'sha256:' || md5((${sequence})::text) || md5('-' || (${sequence})::text)`;
}

function valueOf(table: Table, key: string, { name, type }: Column): string {
  const own = VALUES[`${table}.${name}`];
  if (own !== undefined) return own;
  if (name === key) return 'n.id';
  if (name === 'owner' || name === 'route') return `n.${name}`;
  if (name === 'occurrence') return `CASE WHEN t.occurrence IS NOT NULL THEN 'growth/' || n.id END`;
  if (name === 'identity') return `'growth/' || n.id`;
  if (type === 'uuid') return `growth.derived(t.${name}, n.id)`;
  if (type === 'timestamp with time zone') return `t.${name} + n.shift`;
  if (['operation', 'candidate', 'record', 'result'].includes(name)) {
    return `replace(t.${name}, n.template::text, n.id::text)`;
  }
  return `t.${name}`;
}

/** Accepted and applied, as the last one that the product made. */
const CHECKPOINTS = `
WITH e AS (
  SELECT min(entries_before) AS base, max(n.entries_before + t.entries) AS last
  FROM growth.place n JOIN growth.template t ON t.id = n.template
), s AS (
  SELECT sequence, lag(sequence, 1, e.base) OVER (ORDER BY sequence) AS previous FROM e, (
    SELECT generate_series(ceil((base + 1) / ${CHECKPOINT_EVERY}.0)::bigint * ${CHECKPOINT_EVERY}, last::bigint,
      ${CHECKPOINT_EVERY}) AS sequence FROM e
    UNION SELECT last::bigint FROM e
  ) x
)
INSERT INTO checkpoint (tenant, generation, sequence, previous_sequence, record, created_at, acceptance, accepted_at, applied)
SELECT k.tenant, k.generation, s.sequence, s.previous, k.record, k.created_at, k.acceptance, k.accepted_at, true
FROM s, (SELECT * FROM checkpoint WHERE tenant = $1 AND applied ORDER BY sequence DESC LIMIT 1) k`;

/**
 * Everything is chained, anchored and told. The anchor store does not know these checkpoints, so the tenant counts as
 * compared for today.
 */
const HEADS = `
WITH e AS (
  SELECT max(sequence) AS last FROM ledger_entry WHERE tenant = $1
), anchored AS (
  UPDATE lifecycle SET anchor_sequence = e.last FROM e WHERE tenant = $1 AND anchor_sequence > e.last
), v AS (
  INSERT INTO event_head (tenant, owner, sequence)
  SELECT $1, n.owner, max(n.events_before + t.events) FROM growth.place n JOIN growth.template t ON t.id = n.template
  GROUP BY n.owner
  ON CONFLICT (tenant, owner) DO UPDATE SET sequence = EXCLUDED.sequence
), followed AS (
  INSERT INTO delivery_cursor (tenant, sequence) SELECT $1, e.last FROM e
  ON CONFLICT (tenant) DO UPDATE SET sequence = EXCLUDED.sequence
), compared AS (
  UPDATE tenant SET compared_at = now() + interval '1 day' WHERE tenant = $1
)
UPDATE ledger_head SET sequence = e.last, head = l.head, decided_sequence = e.last, checkpoint_sequence = e.last,
  anchored_sequence = e.last
FROM e JOIN ledger_entry l ON l.tenant = $1 AND l.sequence = e.last WHERE ledger_head.tenant = $1`;

/** Owners and routes that are not there yet, like those that are. */
const DIRECTORY = `
WITH p AS (
  INSERT INTO principal (tenant, id, kind, enabled, config, updated_at)
  SELECT p.tenant, n.owner, p.kind, p.enabled, p.config, p.updated_at
  FROM (SELECT DISTINCT owner FROM growth.place) n JOIN principal p ON p.tenant = $1 AND p.id = $2
  ON CONFLICT DO NOTHING
)
INSERT INTO route (tenant, id, revision, config, updated_at)
SELECT r.tenant, n.route, r.revision, r.config, r.updated_at
FROM (SELECT DISTINCT route FROM growth.place) n
CROSS JOIN (SELECT * FROM route WHERE tenant = $1 ORDER BY id LIMIT 1) r ON CONFLICT DO NOTHING`;
