import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ROLES, createOwnerPool, createPool, migrate } from '@countersign/database';
import type { Pool } from '@countersign/database';
import { testPostgres } from '@countersign/dev-servers/testing';
import type pg from 'pg';
import { machineFacts } from '../machine.js';
import type { Scenario } from '../scenario.js';
import { digits, table } from '../text.js';
import { startLedger } from './ledger.js';
import { SCHEMA, insertRate, rowsOf } from './yardstick.js';
import type { Row } from './yardstick.js';

const HELP = `npm run bench -- drain [--entries 40000] [--rounds 3] [--full 1000000]
  How fast the ledger chains what waits, with the drain of the product (its statements, event numbers, checkpoints and
  their signatures), against bare chained inserts of the same rows, 100 at a time, on the same server just before: with
  1, 10 and 100 tenants, and with one tenant whose ledger has --full entries already.`;

const BATCH = 100;
const CONNECTIONS = 10;
/** The least of the machine's own rate. */
const TARGET = 0.5;

interface Case {
  readonly name: string;
  readonly tenants: number;
  /** Entries that the ledger has before. */
  readonly before: number;
}

export const drain: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      entries: { type: 'string', default: '40000' },
      rounds: { type: 'string', default: '3' },
      full: { type: 'string', default: '1000000' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const [entries, rounds, full] = [values.entries, values.rounds, values.full].map(Number) as [
    number,
    number,
    number,
  ];
  const server = await testPostgres();
  ends.push(() => server.remove());
  const machine = machineFacts('/tmp');
  await migrate(server.url);
  const owner = createOwnerPool({ url: server.url, max: CONNECTIONS, application: 'bench' });
  const pool = createPool({
    ...{ url: server.url, role: ROLES.ledger, max: CONNECTIONS, application: 'bench ledger' },
  });
  ends.push(() => Promise.all([owner.end(), pool.end()]).then(() => {}));
  await owner.query(SCHEMA);

  const cases: Case[] = [1, 10, 100].map((tenants) => ({
    ...{ name: `${tenants} tenant${tenants > 1 ? 's' : ''}`, tenants, before: 0 },
  }));
  if (full > 0) cases.push({ name: `1 tenant of ${full} entries`, tenants: 1, before: full });
  const lines: string[][] = [['entries/s', 'machine', 'drain', 'ratio', `>= ${TARGET}`]];
  for (const of of cases) {
    const ratios: { machine: number; product: number }[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const rows = new Map(
        Array.from({ length: of.tenants }, (): [string, Row[]] => [
          `bench-${randomUUID()}`,
          rowsOf(Math.ceil(entries / of.tenants)),
        ]),
      );
      await fill(owner, rows, of.before);
      await owner.query('CHECKPOINT');
      const own = await insertRate(owner, rows, BATCH, CONNECTIONS);
      const product = await drainRate(pool, owner, rows, of.before);
      ratios.push({ machine: own, product });
      say(`round ${round}, ${of.name}: ${digits(own)} by itself, ${digits(product)} drained`);
    }
    const [middle] = ratios
      .sort((a, b) => a.product / a.machine - b.product / b.machine)
      .slice(Math.floor((ratios.length - 1) / 2));
    const { machine: own, product } = middle as { machine: number; product: number };
    const ratio = product / own;
    lines.push([
      of.name,
      digits(own),
      digits(product),
      digits(ratio),
      ratio >= TARGET ? 'yes' : 'NO',
    ]);
  }
  say('');
  say(
    `${machine.cores} cores, Node ${machine.node}, PostgreSQL ${machine.postgres}, load before ${machine.load}; ` +
      `${entries} entries a round, batches of ${BATCH}, the round of the middle of ${rounds}`,
  );
  for (const line of table(lines)) say(line);
};

/** Tenants with rows that wait, and the ledger that they have already. */
async function fill(
  owner: pg.Pool,
  rows: ReadonlyMap<string, readonly Row[]>,
  before: number,
): Promise<void> {
  for (const [tenant, waiting] of rows) {
    await owner.query(
      `WITH t AS (
         INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
         VALUES ($1, gen_random_uuid(), gen_random_uuid(), false, clock_timestamp())
       ) INSERT INTO ledger_head (tenant, sequence, head, checkpoint_sequence, anchored_sequence)
         VALUES ($1, $2::bigint, CASE WHEN $2 = 0 THEN '' ELSE 'sha256:' || repeat('0', 64) END, $2, $2)`,
      [tenant, before],
    );
    for (let at = 0; at < before; at += 100_000) {
      await owner.query(
        `INSERT INTO ledger_entry (tenant, sequence, request_id, type, previous_head, head, record_digest, record_id, created_at)
         SELECT $1, n, gen_random_uuid(), 'RequestChangedEvent', d, d, d, gen_random_uuid(), clock_timestamp()
         FROM generate_series($2::bigint + 1, least($2::bigint + 100000, $3::bigint)) n,
           LATERAL (SELECT 'sha256:' || md5(n::text) || md5('x' || n) AS d) y`,
        [tenant, at, before],
      );
    }
    await owner.query(
      `INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
       SELECT $1, x.id, x.request, x.type, x.digest, 'producer-' || x.place % 3
       FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[]) WITH ORDINALITY AS x (id, request, type, digest, place)
       ORDER BY x.place`,
      [
        tenant,
        waiting.map(({ id }) => id),
        waiting.map(({ request }) => request),
        waiting.map(({ type }) => type),
        waiting.map(({ digest }) => digest),
      ],
    );
  }
  await owner.query('ANALYZE ledger_entry, outbox');
}

/** The product's own module, from its start until nothing waits any more. */
async function drainRate(
  pool: Pool,
  owner: pg.Pool,
  rows: ReadonlyMap<string, readonly Row[]>,
  before: number,
): Promise<number> {
  const tenants = [...rows.keys()];
  const begun = performance.now();
  const stop = await startLedger(pool);
  for (;;) {
    const { rows: found } = await owner.query<{ drained: number }>(
      'SELECT sum(sequence - $2::bigint)::float8 AS drained FROM ledger_head WHERE tenant = ANY ($1)',
      [tenants, before],
    );
    const drained = found[0]?.drained ?? 0;
    if (drained >= [...rows.values()].reduce((sum, each) => sum + each.length, 0)) {
      const rate = drained / ((performance.now() - begun) / 1000);
      await stop();
      return rate;
    }
    await delay(10);
  }
}
