import type pg from 'pg';
import { CHECKPOINT_ENTRIES, isJsonObject, textDigest, verifyRecord } from '@countersign/protocol';
import type { AnchorCopy } from '@countersign/protocol';
import { keyed } from '../request-row.js';
import { recordIn } from './record-in.js';
import type { Findings } from './report.js';
import type { CheckedTenant } from './tenants.js';

const BATCH = 1000;
/** Sequences of the anchor store looked through at once. */
const STRETCH = 10_000;

interface CheckpointRow {
  generation: string;
  sequence: number;
  previous_sequence: number;
  record: string;
  acceptance: string | null;
  head: string | null;
}

/** A checkpoint of the anchor store that the database does not have. */
export interface AheadCheckpoint {
  readonly log: 'ledger' | 'security';
  readonly tenant: string;
  readonly generation: string;
  readonly sequence: number;
  readonly text: string;
}

const CHECKPOINTS = `SELECT k.generation, k.sequence, k.previous_sequence, k.record, k.acceptance, e.head
  FROM (SELECT x.* FROM checkpoint x WHERE x.tenant = $1 AND (x.generation, x.sequence) > ($2::uuid, $3::bigint)
    ORDER BY x.generation, x.sequence LIMIT $4) k
  ${keyed('ledger_entry', 'e', 'x.sequence = k.sequence')} ORDER BY k.generation, k.sequence`;

/** Every checkpoint: signed, on the chain, and in the anchor store as it was accepted. */
export async function walkCheckpoints(
  client: pg.ClientBase,
  of: CheckedTenant,
  findings: Findings,
): Promise<AheadCheckpoint[]> {
  const { tenant } = of;
  let before: Pick<CheckpointRow, 'generation' | 'sequence'> = {
    generation: '00000000-0000-0000-0000-000000000000',
    sequence: 0,
  };
  const accepted = new Set<number>();
  let last = 0;
  for (;;) {
    const { rows } = await client.query<CheckpointRow>({
      name: 'fsck.checkpoints',
      text: CHECKPOINTS,
      values: [tenant, before.generation, before.sequence, BATCH],
    });
    if (rows.length === 0) break;
    for (const row of rows) {
      const about = `${row.generation}/${row.sequence}`;
      const { sequence, previous_sequence: previous } = row;
      const continues =
        row.generation === before.generation
          ? previous === before.sequence
          : await beginsRight(client, tenant, row);
      const spans = sequence > previous && sequence - previous <= CHECKPOINT_ENTRIES;
      findings.check(continues && spans, 'checkpoint_gap', tenant, about);
      await checkCheckpoint(row, of, findings, about);
      if (row.generation === of.generation) last = sequence;
      if (row.acceptance !== null && sequence === of.anchored) accepted.add(sequence);
      before = row;
    }
    findings.counts.checkpoints += rows.length;
    findings.advance(rows.length);
  }
  const { sequence, checkpointed, anchored } = of;
  const ordered = anchored <= checkpointed && checkpointed <= sequence;
  const reached = anchored === 0 || accepted.has(anchored);
  const complete = last === 0 || last === checkpointed;
  findings.check(ordered && reached && complete, 'checkpoint_gap', tenant, 'end');
  return strangers(client, of, findings);
}

/** A generation continues from the beginning, or from the last checkpoint that was anchored before a recovery (R18). */
async function beginsRight(
  client: pg.ClientBase,
  tenant: string,
  { generation, previous_sequence: previous }: CheckpointRow,
): Promise<boolean> {
  if (previous === 0) return true;
  const { rowCount } = await client.query(
    `SELECT 1 FROM checkpoint WHERE tenant = $1 AND generation <> $2 AND sequence = $3 AND acceptance IS NOT NULL`,
    [tenant, generation, previous],
  );
  return rowCount !== null && rowCount > 0;
}

async function checkCheckpoint(
  row: CheckpointRow,
  of: CheckedTenant,
  findings: Findings,
  about: string,
): Promise<void> {
  const { tenant, ledgerId } = of;
  const { trust, copies } = findings.options;
  const record = recordIn(row.record);
  const payload = isJsonObject(record?.payload) ? record.payload : {};
  const says =
    payload['ledger_id'] === ledgerId &&
    payload['generation'] === row.generation &&
    payload['sequence'] === row.sequence;
  const expected = { type: 'AuditCheckpoint', audience: 'proto.audit', tenant: ledgerId } as const;
  const signed = trust === null || verifyRecord(record, trust, expected).ok;
  if (trust !== null) findings.counts.signatures += 1;
  findings.check(record !== null && says && signed, 'checkpoint_altered', tenant, about);
  findings.check(
    row.head !== null && payload['head'] === row.head,
    'checkpoint_off_chain',
    tenant,
    about,
  );
  const copy = (await copies?.copy(ledgerId, row.generation, row.sequence)) ?? null;
  if (copy !== null) {
    const same = Buffer.from(row.record).equals(copy.bytes);
    findings.check(same, 'anchor_differs', tenant, about);
    findings.counts.anchors += 1;
  }
  if (row.acceptance === null) return;
  findings.check(acceptanceFits(row, copy), 'acceptance_altered', tenant, about);
  if (copies !== null) findings.check(copy !== null, 'anchor_missing', tenant, about);
}

function acceptanceFits({ record, acceptance }: CheckpointRow, copy: AnchorCopy | null): boolean {
  try {
    const { digest, key } = JSON.parse(acceptance ?? '') as { digest: unknown; key: unknown };
    return digest === textDigest(record) && (copy === null || key === copy.key);
  } catch {
    return false;
  }
}

/**
 * Checkpoints of this generation that are in the store and not in the database: the database was restored to an earlier
 * state (R18).
 */
async function strangers(
  client: pg.ClientBase,
  { tenant, ledgerId, generation, sequence: end }: CheckedTenant,
  { options: { copies } }: Findings,
): Promise<AheadCheckpoint[]> {
  if (copies === null) return [];
  const ahead: AheadCheckpoint[] = [];
  for (let from = 1; ; from += STRETCH) {
    const isLast = from > end;
    const to = isLast ? Number.MAX_SAFE_INTEGER : from + STRETCH - 1;
    const found = await copies.within(ledgerId, from, to);
    const kept = found.filter((copy) => copy.generation === generation);
    const { rows } = await client.query<{ sequence: number }>(
      `SELECT x.sequence FROM checkpoint x WHERE x.tenant = $1 AND x.generation = $2 AND x.sequence = ANY ($3::bigint[])`,
      [tenant, generation, kept.map(({ sequence }) => sequence)],
    );
    const known = new Set(rows.map(({ sequence }) => sequence));
    for (const { sequence, bytes } of kept) {
      if (known.has(sequence)) continue;
      ahead.push({
        ...({ log: 'ledger', tenant, generation, sequence } as const),
        text: Buffer.from(bytes).toString(),
      });
    }
    if (isLast) return ahead;
  }
}
