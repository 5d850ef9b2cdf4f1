import type pg from 'pg';
import { keyed } from '../request-row.js';
import type { Findings } from './report.js';
import type { CheckedTenant } from './tenants.js';

const BATCH = 2000;

interface EventRow {
  owner: string;
  sequence: number;
  entry: number | null;
  type: string | null;
  request_owner: string | null;
}

const EVENTS = `SELECT v.owner, v.sequence, e.sequence AS entry, e.type, l.owner AS request_owner
  FROM (SELECT x.* FROM event x WHERE x.tenant = $1 AND (x.owner, x.sequence) > ($2, $3::bigint)
    ORDER BY x.owner, x.sequence LIMIT $4) v
  ${keyed('ledger_entry', 'e', 'x.request_id = v.request_id AND x.record_id = v.record_id')}
  ${keyed('lifecycle', 'l', 'x.request_id = v.request_id')}
  ORDER BY v.owner, v.sequence`;

/** Every owner's feed: its events are in the order of the chain, under numbers that were given once. */
export async function walkFeeds(
  client: pg.ClientBase,
  { tenant }: CheckedTenant,
  findings: Findings,
): Promise<void> {
  let before: Pick<EventRow, 'owner' | 'sequence' | 'entry'> = { owner: '', sequence: 0, entry: 0 };
  for (;;) {
    const { rows } = await client.query<EventRow>({
      name: 'fsck.events',
      text: EVENTS,
      values: [tenant, before.owner, before.sequence, BATCH],
    });
    if (rows.length === 0) break;
    for (const row of rows) {
      const about = `${row.owner}/${row.sequence}`;
      const known = row.type === 'RequestChangedEvent' && row.request_owner === row.owner;
      findings.check(known, 'feed_unknown', tenant, about);
      const ascends =
        row.owner !== before.owner || (row.entry ?? Infinity) > (before.entry ?? Infinity);
      if (known) findings.check(ascends, 'feed_order', tenant, about);
      before = row;
    }
    findings.counts.events += rows.length;
    findings.advance(rows.length);
  }
  await checkNumbers(client, tenant, findings);
}

/** Deletion leaves holes (R31), so the numbers of one feed may lack some; those that all feeds have given may not. */
async function checkNumbers(
  client: pg.ClientBase,
  tenant: string,
  findings: Findings,
): Promise<void> {
  const { rows } = await client.query<{ given: number; chained: number; beyond: number }>(
    `SELECT (SELECT coalesce(sum(h.sequence), 0) FROM event_head h WHERE h.tenant = $1)::float8 AS given,
       (SELECT count(*) FROM ledger_entry e WHERE e.tenant = $1 AND e.type = 'RequestChangedEvent')::float8 AS chained,
       (SELECT count(*) FROM event v LEFT JOIN event_head h ON h.tenant = $1 AND h.owner = v.owner
         WHERE v.tenant = $1 AND v.sequence > coalesce(h.sequence, 0))::float8 AS beyond`,
    [tenant],
  );
  const numbers = rows[0];
  const holds = numbers?.given === numbers?.chained && numbers?.beyond === 0;
  findings.check(holds, 'feed_numbers', tenant, `${numbers?.given} for ${numbers?.chained} events`);
}
