import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { inTransaction } from './in-transaction.js';
import { saveCommandEvent } from './security-events.js';
import { openIncident } from './step-consequences.js';

/** What a recovery changes, or would change. */
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

const UNUSED = `l.grant_state IN ('none', 'pending_anchor', 'available')`;

/** Reads what {@link recoverTenant} would do now; null when there is no such tenant. Changes nothing. */
export async function planRecovery(
  client: pg.ClientBase,
  tenant: string,
): Promise<RecoveryPlan | null> {
  const { rows } = await client.query<RecoveryPlan>(
    `SELECT t.tenant, t.fenced, t.fence_reason AS reason, t.generation,
       h.sequence::float8 AS entries, h.anchored_sequence::float8 AS anchored,
       n.requests, n.cancelled, n."grantsRevoked", n."executionsUncertain",
       (SELECT count(*)::integer FROM assignment a WHERE a.tenant = t.tenant) AS leases,
       (SELECT count(*)::integer FROM candidate c JOIN lifecycle l ON l.tenant = c.tenant AND l.request_id = c.request_id
         WHERE c.tenant = t.tenant AND c.live AND l.decision = 'pending') AS candidates
     FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE l.invalidated IS NULL)::integer AS requests,
         count(*) FILTER (WHERE l.decision = 'pending')::integer AS cancelled,
         count(*) FILTER (WHERE ${UNUSED})::integer AS "grantsRevoked",
         count(*) FILTER (WHERE l.execution NOT IN ('not_applicable', 'uncertain'))::integer AS "executionsUncertain"
       FROM lifecycle l WHERE l.tenant = t.tenant
     ) n WHERE t.tenant = $1`,
    [tenant],
  );
  return rows[0] ?? null;
}

/**
 * The operator's recovery (R18, protocol §11.9 in its milder form), by a connection of the database's owner, in one
 * transaction: the namespace is retired, so that nothing that was given under it counts any more; what was consumed stays
 * consumed; records and ledger stay as they are and go on under a new generation. Ends the fence. Null when there is no
 * such tenant.
 */
export function recoverTenant(pool: pg.Pool, tenant: string): Promise<Recovered | null> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM tenant WHERE tenant = $1 FOR UPDATE', [tenant]);
    const plan = await planRecovery(client, tenant);
    if (plan === null) return null;
    const newGeneration = randomUUID();
    for (const text of STEPS) await client.query(text, [tenant]);
    await client.query(REOPEN, [tenant, newGeneration, randomUUID()]);
    const { fenced, reason, generation, requests } = plan;
    await saveCommandEvent(client, {
      tenant,
      kind: 'tenant.recovered',
      detail: { fenced, reason, generation, new_generation: newGeneration, requests },
    });
    return { ...plan, newGeneration };
  });
}

/** As `retireNamespace` of the protocol decides it for one request, for all of them at once. */
const STEPS = [
  `UPDATE candidate c SET live = false FROM lifecycle l
   WHERE c.tenant = $1 AND c.live AND l.tenant = c.tenant AND l.request_id = c.request_id AND l.decision = 'pending'`,
  'DELETE FROM assignment WHERE tenant = $1',
  `UPDATE delivery SET state = 'expired' WHERE tenant = $1 AND state = 'pending' AND kind <> 'checkpoint'`,
  `UPDATE lifecycle l SET version = l.version + 1, invalidated = coalesce(l.invalidated, 'namespace_retired'),
     decision = CASE WHEN l.decision <> 'pending' THEN l.decision
       WHEN l.review_deadline <= clock_timestamp() THEN 'expired' ELSE 'cancelled' END,
     grant_state = CASE WHEN l.grant_state IN ('pending_anchor', 'available') AND l.grant_deadline <= clock_timestamp()
       THEN 'expired' WHEN ${UNUSED} THEN 'revoked' ELSE l.grant_state END,
     execution = CASE WHEN l.execution = 'not_applicable' THEN l.execution ELSE 'uncertain' END
   WHERE l.tenant = $1`,
  // What the store contradicted is not offered to it again: the new generation's checkpoints start where the accepted end.
  `UPDATE checkpoint SET applied = true, error = 'namespace_retired' WHERE tenant = $1 AND NOT applied`,
  `UPDATE ledger_head SET checkpoint_sequence = anchored_sequence WHERE tenant = $1`,
];

// Nothing is kept under a new generation yet, so there is nothing to compare it with.
const REOPEN = `
WITH t AS (
  UPDATE tenant SET generation = $2::uuid, fenced = false, fence_reason = NULL, compared_at = clock_timestamp(),
    directory_revision = directory_revision + 1 WHERE tenant = $1 RETURNING tenant
) ${openIncident({ id: '$3::uuid', code: "'namespace_retired'", from: 't' })}`;
