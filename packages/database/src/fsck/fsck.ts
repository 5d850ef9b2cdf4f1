import type pg from 'pg';
import { walkChain } from './chain.js';
import { walkCheckpoints } from './checkpoints.js';
import type { AheadCheckpoint } from './checkpoints.js';
import { walkFeeds } from './feeds.js';
import { walkHolds } from './holds.js';
import { Findings } from './report.js';
import type { FsckOptions, FsckResult } from './report.js';
import { walkRequests } from './requests.js';
import { walkSecurityLogs } from './security-log.js';
import { tenantsOf } from './tenants.js';

/**
 * Compares all redundant data: rebuilds every request from the ledger and compares it with the tables; recomputes chain,
 * tree, feeds, security logs and checkpoints, and compares them with the anchor store. Reads in batches, and holds no more
 * than one batch in memory.
 *
 * @param client a connection that sees everything, in a transaction with one snapshot
 * @returns the findings, and checkpoints that are in the anchor store and not in the snapshot: the store is read later, so
 *   the caller has to check whether they are known by then
 */
export async function fsckWithin(
  client: pg.ClientBase,
  options: FsckOptions,
): Promise<{ findings: Findings; ahead: readonly AheadCheckpoint[] }> {
  const tenants = await tenantsOf(client);
  const { rows } = await client.query<{ total: number }>(
    `SELECT ((SELECT coalesce(sum(sequence), 0) FROM ledger_head) + (SELECT count(*) FROM lifecycle)
      + (SELECT count(*) FROM event) + (SELECT count(*) FROM checkpoint)
      + (SELECT coalesce(sum(sequence), 0) FROM security_head))::float8 AS total`,
  );
  const findings = new Findings(options, rows[0]?.total ?? 0);
  const ahead: AheadCheckpoint[] = [];
  for (const tenant of tenants) {
    const holds = await walkChain(client, tenant, findings);
    await walkRequests(client, tenant, findings);
    await walkHolds(client, tenant, holds, findings);
    await walkFeeds(client, tenant, findings);
    ahead.push(...(await walkCheckpoints(client, tenant, findings)));
  }
  ahead.push(...(await walkSecurityLogs(client, findings)));
  return { findings, ahead };
}

/** As {@link fsckWithin}, in a read-only transaction of its own. */
export async function fsck(pool: pg.Pool, options: FsckOptions): Promise<FsckResult> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // Without a time limit: no call waits for it.
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const { findings, ahead } = await fsckWithin(client, options);
    await client.query('COMMIT');
    for (const checkpoint of ahead) {
      const { log, tenant, generation, sequence, text } = checkpoint;
      const { rowCount } = await client.query(KNOWN[log], [tenant, generation, sequence, text]);
      const fault = log === 'ledger' ? 'anchor_ahead' : 'security_ahead';
      findings.check(rowCount === 1, fault, tenant, `${generation}/${sequence}`);
    }
    return findings.result();
  } finally {
    // A transaction that failed half-way is rolled back with its connection.
    client.release(true);
  }
}

const KNOWN = {
  ledger: `SELECT FROM checkpoint WHERE tenant = $1 AND generation = $2 AND sequence = $3 AND record = $4`,
  security: `SELECT FROM security_checkpoint WHERE tenant = $1 AND generation = $2 AND sequence = $3 AND checkpoint = $4`,
} as const;
