import type pg from 'pg';

/** A tenant, and how far its ledger, checkpoints and tree go at the moment of the check. */
export interface CheckedTenant {
  readonly tenant: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly sequence: number;
  readonly head: string;
  readonly decided: number;
  readonly checkpointed: number;
  readonly anchored: number;
  readonly treeSize: number;
}

export async function tenantsOf(client: pg.ClientBase): Promise<CheckedTenant[]> {
  const { rows } = await client.query<CheckedTenant>(
    `SELECT t.tenant, t.ledger_id AS "ledgerId", t.generation, h.sequence, h.head, h.decided_sequence AS decided,
       h.checkpoint_sequence AS checkpointed, h.anchored_sequence AS anchored, coalesce(r.size, 0) AS "treeSize"
     FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant LEFT JOIN tree r ON r.tenant = t.tenant
     ORDER BY t.tenant`,
  );
  return rows;
}
