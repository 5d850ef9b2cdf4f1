import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { retireWithoutEvents } from '@countersign/protocol';
import type { Lifecycle } from '@countersign/protocol';
import { inTransaction } from './in-transaction.js';
import { NOW, keyed, lifecycleOf } from './request-row.js';
import type { RequestRow } from './request-row.js';
import { saveCommandEvent } from './security-events.js';
import { openIncident } from './step-consequences.js';
import { batchStatement, commitBatch } from './step.js';

/** The changes of a recovery, made or planned. */
export interface RecoveryPlan {
  readonly tenant: string;
  readonly fenced: boolean;
  readonly reason: string | null;
  /** Namespace that is retired. */
  readonly generation: string;
  /** Last entry of the ledger, and how far checkpoints are anchored. */
  readonly entries: number;
  readonly anchored: number;
  /** Requests that lose their authority for good; among them: */
  readonly requests: number;
  readonly cancelled: number;
  readonly grantsRevoked: number;
  readonly executionsUncertain: number;
  readonly leases: number;
  readonly candidates: number;
}

export interface Recovered extends RecoveryPlan {
  /** The new namespace. */
  readonly newGeneration: string;
}

type Found = Omit<RecoveryPlan, keyof Effects>;

interface Effects {
  readonly requests: number;
  readonly cancelled: number;
  readonly grantsRevoked: number;
  readonly executionsUncertain: number;
}

/** Reads the changes that {@link recoverTenant} would make now; null when there is no such tenant. Changes nothing. */
export async function planRecovery(
  client: pg.ClientBase,
  tenant: string,
): Promise<RecoveryPlan | null> {
  const found = await findTenant(client, tenant);
  return found === null ? null : { ...found, ...(await eachRetirement(client, tenant)) };
}

async function findTenant(client: pg.ClientBase, tenant: string): Promise<Found | null> {
  const { rows } = await client.query<Found>(
    `SELECT t.tenant, t.fenced, t.fence_reason AS reason, t.generation,
       h.sequence::float8 AS entries, h.anchored_sequence::float8 AS anchored,
       (SELECT count(*)::integer FROM assignment a WHERE a.tenant = t.tenant) AS leases,
       (SELECT count(*)::integer FROM candidate c JOIN lifecycle l ON l.tenant = c.tenant AND l.request_id = c.request_id
         WHERE c.tenant = t.tenant AND c.live AND l.decision = 'pending') AS candidates
     FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant WHERE t.tenant = $1`,
    [tenant],
  );
  return rows[0] ?? null;
}

const PAGE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

const REQUESTS = `SELECT l.*, l.request_id, r.purpose, ${NOW} AS now
  FROM (SELECT x.* FROM lifecycle x WHERE x.tenant = $1 AND x.request_id > $2 ORDER BY x.request_id LIMIT ${PAGE}) l
  ${keyed('request', 'r', 'x.id = l.request_id')} ORDER BY l.request_id`;

const RETIRE = batchStatement('database.retire', {
  moves: ['decision', 'grant_state', 'execution', 'invalidated'],
  whole: true,
});

interface Retired {
  readonly id: string;
  readonly version: number;
  readonly state: Lifecycle;
  readonly next: Lifecycle;
}

/**
 * Goes through the tenant's requests page by page, as the state machine retires each, and counts the losses. `save` gets
 * each page. The tenant's lock keeps every transition out meanwhile.
 */
async function eachRetirement(
  client: pg.ClientBase,
  tenant: string,
  save?: (page: readonly Retired[]) => Promise<unknown>,
): Promise<Effects> {
  const all = { requests: 0, cancelled: 0, grantsRevoked: 0, executionsUncertain: 0 };
  for (let after = FIRST; ;) {
    const { rows } = await client.query<RequestRow>(REQUESTS, [tenant, after]);
    const last = rows.at(-1);
    if (last === undefined) return all;
    const page = rows.map((row): Retired => {
      const state = lifecycleOf(row);
      const next = retireWithoutEvents(state, row.now);
      return { id: row.request_id as string, version: row.version, state, next };
    });
    for (const { state, next } of page) {
      const now = (member: keyof Lifecycle, value: unknown) =>
        Number(state[member] !== value && next[member] === value);
      all.requests += Number(state.invalidated === null && next.invalidated !== null);
      all.cancelled += now('decision', 'cancelled');
      all.grantsRevoked += now('grant', 'revoked');
      all.executionsUncertain += now('execution', 'uncertain');
    }
    await save?.(page);
    after = last.request_id as string;
  }
}

/**
 * The operator's recovery (R18, protocol §11.9), by a connection of the database's owner, in one transaction: the namespace
 * is retired, so that authority granted under it ends; consumed authority stays consumed; records and ledger do not change
 * and continue under a new generation. Ends the fence. A deadline that has come before is left to its worker, which signs
 * its event. Null when there is no such tenant.
 */
export function recoverTenant(pool: pg.Pool, tenant: string): Promise<Recovered | null> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM tenant WHERE tenant = $1 FOR UPDATE', [tenant]);
    const found = await findTenant(client, tenant);
    if (found === null) return null;
    const newGeneration = randomUUID();
    for (const text of STEPS) await client.query(text, [tenant]);
    const effects = await eachRetirement(client, tenant, (page) =>
      commitBatch(
        client,
        RETIRE,
        tenant,
        page.map((request) => ({ ...request, records: [] })),
      ),
    );
    await client.query(REOPEN, [tenant, newGeneration]);
    const { fenced, reason, generation } = found;
    await saveCommandEvent(client, {
      tenant,
      kind: 'tenant.recovered',
      detail: {
        fenced,
        reason,
        generation,
        new_generation: newGeneration,
        requests: effects.requests,
      },
    });
    return { ...found, ...effects, newGeneration };
  });
}

const STEPS = [
  `UPDATE candidate c SET live = false FROM lifecycle l
   WHERE c.tenant = $1 AND c.live AND l.tenant = c.tenant AND l.request_id = c.request_id AND l.decision = 'pending'`,
  'DELETE FROM assignment WHERE tenant = $1',
  `UPDATE delivery SET state = 'expired' WHERE tenant = $1 AND state = 'pending' AND kind <> 'checkpoint'`,
  // A checkpoint that the store contradicted is not written again: the new generation's checkpoints start after the last
  // accepted one.
  `UPDATE checkpoint SET applied = true, error = 'namespace_retired' WHERE tenant = $1 AND NOT applied`,
  `UPDATE ledger_head SET checkpoint_sequence = anchored_sequence WHERE tenant = $1`,
];

// Nothing is kept under a new generation yet, so there is nothing to compare it with.
const REOPEN = `
WITH t AS (
  UPDATE tenant SET generation = $2::uuid, fenced = false, fence_reason = NULL, compared_at = clock_timestamp(),
    directory_revision = directory_revision + 1 WHERE tenant = $1 RETURNING tenant
) ${openIncident({ code: "'namespace_retired'", from: 't' })}`;
