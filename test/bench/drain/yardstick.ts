import { randomUUID } from 'node:crypto';
import { chainHead } from '@countersign/protocol';
import type pg from 'pg';

/**
 * The machine's own rate: entries of the ledger's columns and indexes, chained in the process and inserted a hundred at a
 * time with the new head, one statement each. No outbox, no event numbers, no checkpoints: a yardstick, not a rival.
 */
export const SCHEMA = `
  CREATE TABLE bench_head (tenant text PRIMARY KEY, sequence bigint NOT NULL, head text NOT NULL);
  CREATE TABLE bench_entry (
    tenant text NOT NULL, sequence bigint NOT NULL, request_id uuid, type text NOT NULL, previous_head text NOT NULL,
    head text NOT NULL, record_digest text NOT NULL, record_id uuid NOT NULL, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant, sequence)
  );
  CREATE INDEX bench_entry_request ON bench_entry (tenant, request_id, sequence) WHERE request_id IS NOT NULL;`;

export interface Row {
  readonly id: string;
  readonly request: string;
  readonly type: string;
  readonly digest: string;
}

const INSERT = {
  name: 'bench.insert',
  text: `WITH e AS (
      INSERT INTO bench_entry (tenant, sequence, request_id, type, previous_head, head, record_digest, record_id, created_at)
      SELECT $1, x.sequence, x.request, x.type, x.previous, x.head, x.digest, x.id, clock_timestamp()
      FROM unnest($2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[])
        AS x (sequence, request, type, previous, head, digest, id)
    ) UPDATE bench_head SET sequence = $9, head = $10 WHERE tenant = $1`,
};

/** Inserts rows of each tenant in batches, the tenants in turn; answers entries a second. */
export async function insertRate(
  pool: pg.Pool,
  rows: ReadonlyMap<string, readonly Row[]>,
  batch: number,
  writers: number,
): Promise<number> {
  const tenants = [...rows.keys()];
  await pool.query(`INSERT INTO bench_head SELECT x, 0, '' FROM unnest($1::text[]) x`, [tenants]);
  const waiting = [...tenants];
  const begun = performance.now();
  let total = 0;
  async function write(): Promise<void> {
    for (let tenant = waiting.shift(); tenant !== undefined; tenant = waiting.shift()) {
      const all = rows.get(tenant) ?? [];
      let end = { sequence: 0, head: '' };
      for (let at = 0; at < all.length; at += batch) {
        end = await insert(pool, tenant, all.slice(at, at + batch), end);
      }
      total += all.length;
    }
  }
  await Promise.all(Array.from({ length: Math.min(writers, tenants.length) }, write));
  return total / ((performance.now() - begun) / 1000);
}

async function insert(
  pool: pg.Pool,
  tenant: string,
  rows: readonly Row[],
  from: { sequence: number; head: string },
): Promise<{ sequence: number; head: string }> {
  const [sequences, previous, heads] = [[] as number[], [] as string[], [] as string[]];
  let { sequence, head } = from;
  for (const { digest } of rows) {
    sequence += 1;
    previous.push(head);
    head = chainHead(head, digest, sequence);
    sequences.push(sequence);
    heads.push(head);
  }
  await pool.query({
    ...INSERT,
    values: [
      tenant,
      sequences,
      rows.map(({ request }) => request),
      rows.map(({ type }) => type),
      previous,
      heads,
      rows.map(({ digest }) => digest),
      rows.map(({ id }) => id),
      sequence,
      head,
    ],
  });
  return { sequence, head };
}

/** Rows as a ledger of executions has them: of nine entries of a request five are events. */
export function rowsOf(count: number): Row[] {
  const types = [
    ...['RequestChangedEvent', 'DecisionReceipt', 'RequestChangedEvent', 'RequestChangedEvent'],
    ...['ExecutionClaim', 'RequestChangedEvent', 'AdmissionStatus', 'ExecutionOutcome'],
    'RequestChangedEvent',
  ];
  let request = randomUUID();
  return Array.from({ length: count }, (_, at) => {
    const place = at % types.length;
    if (place === 0) request = randomUUID();
    return {
      id: randomUUID(),
      request,
      type: types[place] as string,
      digest: `sha256:${randomUUID().replaceAll('-', '')}${randomUUID().replaceAll('-', '')}`,
    };
  });
}
