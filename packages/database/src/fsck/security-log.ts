import type pg from 'pg';
import {
  chainHead,
  readSecurityStatement,
  textDigest,
  verifySecurityCheckpoint,
} from '@countersign/protocol';
import type { AnchorCopy, SecurityEntry, SecurityEvent } from '@countersign/protocol';
import type { AheadCheckpoint } from './checkpoints.js';
import type { Findings } from './report.js';

const BATCH = 1000;

interface LogRow {
  tenant: string;
  ledger_id: string;
  /** That checkpoints are written to now. */
  generation: string;
  sequence: number;
  head: string;
  checkpoint_sequence: number;
}

interface EntryRow extends SecurityEntry {
  kind: string;
  actor: string | null;
  subject: string | null;
  request_id: string | null;
  created_at: number;
}

interface CheckpointRow {
  generation: string;
  sequence: number;
  checkpoint: string;
  accepted: boolean;
}

/**
 * Every security log, including that of the installation: its chain, its checkpoints and their copies in the anchor store.
 */
export async function walkSecurityLogs(
  client: pg.ClientBase,
  findings: Findings,
): Promise<AheadCheckpoint[]> {
  const { rows: logs } = await client.query<LogRow>(
    `SELECT h.tenant, h.ledger_id, coalesce(t.generation, h.generation) AS generation, h.sequence, h.head,
       h.checkpoint_sequence
     FROM security_head h LEFT JOIN tenant t ON t.tenant = h.tenant ORDER BY h.tenant`,
  );
  const ahead: AheadCheckpoint[] = [];
  for (const log of logs) ahead.push(...(await walkLog(client, log, findings)));
  return ahead;
}

async function walkLog(
  client: pg.ClientBase,
  log: LogRow,
  findings: Findings,
): Promise<AheadCheckpoint[]> {
  const { tenant } = log;
  const ahead: AheadCheckpoint[] = [];
  let end = { sequence: 0, head: '' };
  let signed = 0;
  for (;;) {
    const { rows } = await client.query<EntryRow>({
      name: 'fsck.security-entries',
      text: `SELECT e.sequence, e.previous_head, e.head, e.entry, e.kind, e.actor, e.subject, e.request_id, e.created_at
        FROM security_entry e WHERE e.tenant = $1 AND e.sequence > $2 ORDER BY e.sequence LIMIT $3`,
      values: [tenant, end.sequence, BATCH],
    });
    const last = rows.at(-1);
    const through = last?.sequence ?? Number.MAX_SAFE_INTEGER;
    const heads = new Map(rows.map(({ sequence, head }) => [sequence, head]));
    const stretch = await checkpointsWithin(client, log, end.sequence, through, findings);
    for (const row of stretch.rows) {
      checkCheckpoint(row, log, heads.get(row.sequence), stretch.copies, findings);
      signed = row.sequence;
    }
    ahead.push(...unknownOf(stretch, log));
    if (last === undefined) break;
    for (const row of rows) {
      checkEntry(row, end, tenant, findings);
      end = { sequence: row.sequence, head: row.head };
    }
    findings.counts.securityEntries += rows.length;
    findings.advance(rows.length);
  }
  const ends = end.sequence === log.sequence && end.head === log.head;
  findings.check(ends, 'security_end', tenant, `${end.sequence}, not ${log.sequence}`);
  findings.check(signed === log.checkpoint_sequence, 'security_checkpoint', tenant, 'end');
  return ahead;
}

function checkEntry(
  row: EntryRow,
  before: { readonly sequence: number; readonly head: string },
  tenant: string,
  findings: Findings,
): void {
  const { sequence, previous_head, head, entry } = row;
  const continues = sequence === before.sequence + 1 && previous_head === before.head;
  const holds = continues && headOf(previous_head, entry, sequence) === head;
  findings.check(holds, 'security_chain', tenant, sequence);
  findings.check(isFoundAsItSays(row, tenant), 'security_columns', tenant, sequence);
}

function headOf(previous: string, entry: string, sequence: number): string | null {
  try {
    return chainHead(previous, textDigest(entry), sequence);
  } catch {
    return null;
  }
}

/** Searches use the columns, so these must agree with the entry. */
function isFoundAsItSays(row: EntryRow, tenant: string): boolean {
  try {
    const event = JSON.parse(row.entry) as SecurityEvent;
    return (
      event.tenant === tenant &&
      event.kind === row.kind &&
      (event.actor?.id ?? null) === row.actor &&
      event.subject === row.subject &&
      event.request_id === row.request_id &&
      Date.parse(event.time) === row.created_at
    );
  } catch {
    return false;
  }
}

interface Stretch {
  readonly rows: readonly CheckpointRow[];
  /** The copies in the anchor store by generation and sequence; null when the store is not read. */
  readonly copies: ReadonlyMap<string, AnchorCopy> | null;
}

const placeOf = ({ generation, sequence }: { generation: string; sequence: number }): string =>
  `${generation}/${sequence}`;

async function checkpointsWithin(
  client: pg.ClientBase,
  { tenant, ledger_id }: LogRow,
  after: number,
  through: number,
  { options, counts }: Findings,
): Promise<Stretch> {
  const { rows } = await client.query<CheckpointRow>({
    name: 'fsck.security-checkpoints',
    text: `SELECT k.generation, k.sequence, k.checkpoint, k.acceptance IS NOT NULL AS accepted FROM security_checkpoint k
      WHERE k.tenant = $1 AND k.sequence > $2 AND k.sequence <= $3 ORDER BY k.sequence, k.generation`,
    values: [tenant, after, through],
  });
  counts.checkpoints += rows.length;
  const kept = await options.copies?.security?.within(ledger_id, after + 1, through);
  const copies = kept === undefined ? null : new Map(kept.map((copy) => [placeOf(copy), copy]));
  return { rows, copies };
}

function checkCheckpoint(
  row: CheckpointRow,
  { tenant, ledger_id }: LogRow,
  head: string | undefined,
  copies: Stretch['copies'],
  findings: Findings,
): void {
  const about = placeOf(row);
  const { trust } = findings.options;
  const value = signedIn(row.checkpoint);
  const says = readSecurityStatement(value?.statement ?? '');
  const fits =
    says !== null &&
    says.ledgerId === ledger_id &&
    says.generation === row.generation &&
    says.sequence === row.sequence &&
    says.head === head;
  const signed = trust === null || verifySecurityCheckpoint(value, trust).ok;
  if (trust !== null) findings.counts.signatures += 1;
  findings.check(fits && signed, 'security_checkpoint', tenant, about);
  if (copies === null) return;
  const copy = copies.get(about);
  if (copy !== undefined) findings.counts.anchors += 1;
  const same = copy === undefined ? !row.accepted : Buffer.from(row.checkpoint).equals(copy.bytes);
  findings.check(same, 'security_anchor', tenant, about);
}

function signedIn(text: string): { readonly statement?: string } | null {
  try {
    return JSON.parse(text) as { readonly statement?: string } | null;
  } catch {
    return null;
  }
}

/** Checkpoints of this generation that are in the store and not in the database. */
function unknownOf({ rows, copies }: Stretch, { tenant, generation }: LogRow): AheadCheckpoint[] {
  const known = new Set(rows.map(placeOf));
  return [...(copies ?? [])]
    .filter(([place, copy]) => copy.generation === generation && !known.has(place))
    .map(([, { sequence, bytes }]) => ({
      ...({ log: 'security', tenant, generation, sequence } as const),
      text: Buffer.from(bytes).toString(),
    }));
}
