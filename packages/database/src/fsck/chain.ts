import type pg from 'pg';
import { chainHead, isJsonObject, textDigest, verifyRecord } from '@countersign/protocol';
import type { RecordType } from '@countersign/protocol';
import { keyed } from '../request-row.js';
import { ToldHolds } from './holds.js';
import { recordIn } from './record-in.js';
import type { Findings } from './report.js';
import type { CheckedTenant } from './tenants.js';
import { TreeWalk } from './tree-walk.js';

const BATCH = 1000;

interface EntryRow {
  sequence: number;
  request_id: string | null;
  type: string;
  previous_head: string;
  head: string;
  record_digest: string;
  record_id: string;
  kept: string | null;
  digest: string | null;
  record_type: string | null;
  record_request: string | null;
  record: string | null;
  known: boolean;
  hidden: boolean;
  fed: boolean;
}

const ENTRIES = `SELECT e.sequence, e.request_id, e.type, e.previous_head, e.head, e.record_digest, e.record_id,
    r.id AS kept, r.digest, r.type AS record_type, r.request_id AS record_request, r.record,
    EXISTS (SELECT 1 FROM lifecycle l WHERE l.tenant = $1 AND l.request_id = e.request_id) AS known,
    EXISTS (SELECT 1 FROM lifecycle l WHERE l.tenant = $1 AND l.request_id = e.request_id AND l.hidden) AS hidden,
    EXISTS (SELECT 1 FROM event v WHERE v.tenant = $1 AND v.request_id = e.request_id AND v.record_id = e.record_id) AS fed
  FROM ledger_entry e ${keyed('record', 'r', 'x.id = e.record_id')}
  WHERE e.tenant = $1 AND e.sequence > $2 ORDER BY e.sequence LIMIT $3`;

/** Every entry of a tenant's chain with its record, and the tree beside it; gives what it says of legal holds. */
export async function walkChain(
  client: pg.ClientBase,
  of: CheckedTenant,
  findings: Findings,
): Promise<ToldHolds> {
  const { tenant } = of;
  const holds = new ToldHolds();
  const tree = await TreeWalk.begin(client, of, findings);
  let end = { sequence: 0, head: '' };
  for (;;) {
    const { rows } = await client.query<EntryRow>({
      name: 'fsck.entries',
      text: ENTRIES,
      values: [tenant, end.sequence, BATCH],
    });
    if (rows.length === 0) break;
    for (const row of rows) {
      checkLink(row, end, tenant, findings);
      checkRecord(row, tenant, holds, findings);
      end = { sequence: row.sequence, head: row.head };
    }
    await tree.add(rows.map(({ record_digest }) => record_digest));
    findings.counts.entries += rows.length;
    findings.advance(rows.length);
  }
  findings.check(
    end.sequence === of.sequence && end.head === of.head,
    'ledger_end',
    tenant,
    `${end.sequence}, not ${of.sequence}`,
  );
  await tree.finish();
  await checkMembership(client, tenant, findings);
  return holds;
}

function checkLink(
  row: EntryRow,
  before: { sequence: number; head: string },
  tenant: string,
  findings: Findings,
): void {
  const { sequence } = row;
  if (sequence !== before.sequence + 1) {
    findings.add('chain_gap', tenant, before.sequence + 1);
  } else {
    findings.check(row.previous_head === before.head, 'chain_link', tenant, sequence);
  }
  findings.check(headOf(row) === row.head, 'chain_head', tenant, sequence);
}

function headOf({ previous_head, record_digest, sequence }: EntryRow): string | null {
  try {
    return chainHead(previous_head, record_digest, sequence);
  } catch {
    return null;
  }
}

function checkRecord(row: EntryRow, tenant: string, holds: ToldHolds, findings: Findings): void {
  const { sequence, request_id, known, record } = row;
  if (!findings.check(row.kept !== null, 'record_missing', tenant, sequence)) return;
  if (row.digest !== row.record_digest) findings.add('record_text', tenant, sequence);
  const told = row.record_type === row.type && row.record_request === request_id;
  findings.check(told, 'record_header', tenant, sequence);
  // The events of a hidden request leave the feed, and not the chain.
  if (row.type === 'RequestChangedEvent' && known && !row.hidden) {
    findings.check(row.fed, 'feed_missing', tenant, sequence);
  }
  if (record === null) {
    // Records that belong to no request are deleted by age.
    if (request_id !== null) findings.check(!known, 'text_missing', tenant, sequence);
    holds.note(row.type, null);
    return;
  }
  if (request_id !== null) findings.check(known, 'request_missing', tenant, request_id);
  if (!findings.check(textDigest(record) === row.record_digest, 'record_text', tenant, sequence)) {
    return;
  }
  checkText(row, record, tenant, holds, findings);
}

function checkText(
  row: EntryRow,
  text: string,
  tenant: string,
  holds: ToldHolds,
  findings: Findings,
): void {
  const { sequence } = row;
  const record = recordIn(text);
  if (record === null) {
    findings.add('record_form', tenant, sequence);
    return;
  }
  const { type, purpose } = record.protected;
  const about = isJsonObject(record.payload) ? (record.payload['request_id'] ?? null) : null;
  const fits =
    type === row.type &&
    record.protected.tenant === tenant &&
    (purpose === 'service' ? null : about) === row.request_id;
  findings.check(fits, 'record_header', tenant, sequence);
  const { trust } = findings.options;
  if (trust === null) {
    holds.note(row.type, record);
    return;
  }
  const verified = verifyRecord(record, trust, {
    type: row.type as RecordType,
    audience: null,
    tenant,
  });
  if (findings.check(verified.ok, 'record_signature', tenant, sequence)) {
    holds.note(row.type, record);
  }
  findings.counts.signatures += 1;
}

/** Each record is chained once, or waits to be (R16). Postgres compares the two tables on its disk. */
async function checkMembership(
  client: pg.ClientBase,
  tenant: string,
  findings: Findings,
): Promise<void> {
  const { rows: lost } = await client.query<{ id: string }>(
    `SELECT r.id FROM record r
     LEFT JOIN ledger_entry e ON e.tenant = $1 AND e.record_id = r.id
     LEFT JOIN outbox o ON o.tenant = $1 AND o.record_id = r.id
     WHERE r.tenant = $1 AND e.record_id IS NULL AND o.record_id IS NULL LIMIT 1000`,
    [tenant],
  );
  for (const { id } of lost) findings.add('record_lost', tenant, id);
  const { rows: twice } = await client.query<{ record_id: string }>(
    `SELECT x.record_id FROM (
       SELECT e.record_id FROM ledger_entry e WHERE e.tenant = $1
       UNION ALL SELECT o.record_id FROM outbox o WHERE o.tenant = $1
     ) x GROUP BY 1 HAVING count(*) > 1 LIMIT 1000`,
    [tenant],
  );
  for (const { record_id } of twice) findings.add('record_twice', tenant, record_id);
}
