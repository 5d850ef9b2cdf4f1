import type pg from 'pg';

/** Whose decisions they are to be. */
export interface BacklogOf {
  readonly tenant: string;
  readonly owner: string;
  readonly route: string;
}

/** A request that was authorised by the product, of any tenant. */
export interface Template {
  readonly tenant: string;
  readonly id: string;
}

/** Columns that are not the template's; `b` is the copy's row of names. */
const VALUES: Readonly<Record<string, string>> = {
  'request.id': 'b.id',
  'request.digest': `'sha256:' || encode(sha256(convert_to(b.id::text, 'UTF8')), 'hex')`,
  'request.canonical': 'replace(t.canonical, t.id::text, b.id::text)',
  'request.occurrence': `'backlog/' || b.id`,
  'lifecycle.request_id': 'b.id',
  'lifecycle.audit': `'pending'`,
  'lifecycle.grant_state': `'pending_anchor'`,
  'lifecycle.execution': `'unclaimed'`,
  'lifecycle.grant_deadline': `now() + interval '1 hour'`,
  'lifecycle.receipt_id': 'b.receipt',
  'lifecycle.receipt_sequence': 'NULL',
  'lifecycle.anchor_sequence': 'NULL',
  'lifecycle.anchor_generation': 'NULL',
  'lifecycle.claim_id': 'NULL',
  'lifecycle.outcome_id': 'NULL',
  'lifecycle.admissions': '0',
  'record.id': 'b.receipt',
  'record.request_id': 'b.id',
  'record.record': 'replace(t.record, t.request_id::text, b.id::text)',
  'record.digest': `'sha256:' || encode(sha256(convert_to(replace(t.record, t.request_id::text, b.id::text), 'UTF8')), 'hex')`,
};

/**
 * Gives a tenant so many decisions at once that wait for their anchor: copies of an authorised request, row for row as if
 * it had been confirmed a moment ago, with its receipt in the outbox. The copies' signatures are not theirs; chain,
 * checkpoints and anchor are made by the product, which trusts its own database. One transaction.
 */
export async function addBacklog(
  database: pg.Client,
  template: Template,
  { tenant, owner, route }: BacklogOf,
  count: number,
): Promise<void> {
  await database.query('BEGIN');
  await database.query(
    `CREATE TEMP TABLE backlog ON COMMIT DROP AS
     SELECT gen_random_uuid() AS id, gen_random_uuid() AS receipt FROM generate_series(1, $1::integer)`,
    [count],
  );
  for (const [table, key, only] of [
    ['request', 'id', 'true'],
    ['lifecycle', 'request_id', 'true'],
    ['record', 'request_id', `t.type = 'DecisionReceipt'`],
  ] as const) {
    const columns = await columnsOf(database, table);
    const values = columns.map((name) => {
      if (name === 'tenant') return '$3::text';
      if (name === 'owner') return '$4::text';
      if (name === 'route') return '$5::text';
      return VALUES[`${table}.${name}`] ?? `t.${name}`;
    });
    await database.query(
      `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
       FROM backlog b JOIN ${table} t ON t.tenant = $1 AND t.${key} = $2::uuid AND ${only}
       WHERE $4::text IS NOT NULL AND $5::text IS NOT NULL`,
      [template.tenant, template.id, tenant, owner, route],
    );
  }
  await database.query(
    `INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
     SELECT $1, r.id, r.request_id, r.type, r.digest, $2 FROM backlog b JOIN record r ON r.tenant = $1 AND r.id = b.receipt`,
    [tenant, owner],
  );
  await database.query('COMMIT');
}

/** How many decisions of the tenant wait for their anchor. */
export async function waiting(database: pg.Client, tenant: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM lifecycle WHERE tenant = $1 AND audit = 'pending'`,
    [tenant],
  );
  return rows[0]?.count ?? 0;
}

/** The result of a backlog, according to the database. */
export interface Anchored {
  readonly anchored: number;
  readonly available: number;
  /** Entries of the longest stretch between two checkpoints: a proof has no more nodes. */
  readonly longest: number;
  readonly checkpoints: number;
  /** `anchor_accepted` events beside one for each. */
  readonly toldTwice: number;
}

export async function outcomeOf(database: pg.Client, tenant: string): Promise<Anchored> {
  const { rows } = await database.query<Anchored>(
    `SELECT (SELECT count(*)::integer FROM lifecycle WHERE tenant = $1 AND audit = 'anchored') AS anchored,
      (SELECT count(*)::integer FROM lifecycle WHERE tenant = $1 AND grant_state = 'available') AS available,
      (SELECT max(sequence - previous_sequence)::integer FROM checkpoint WHERE tenant = $1) AS longest,
      (SELECT count(*)::integer FROM checkpoint WHERE tenant = $1) AS checkpoints,
      (SELECT (count(*) - count(DISTINCT request_id))::integer FROM record
       WHERE tenant = $1 AND record LIKE '%"reason":"anchor_accepted"%') AS "toldTwice"`,
    [tenant],
  );
  return rows[0] as Anchored;
}

async function columnsOf(database: pg.Client, table: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
       AND attidentity = '' AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}
