import type pg from 'pg';
import { inTransaction } from './in-transaction.js';
import { saveCommandEvent } from './security-events.js';

export type TreeAccess = 'operators' | 'witnesses' | 'public';

/** A tenant's tree as its operators see it. */
export interface TreeStatus {
  readonly ledgerId: string;
  readonly generation: string;
  readonly access: TreeAccess;
  /** The newest checkpoint, null while there is none. */
  readonly note: string | null;
}

/**
 * The access to a tenant's tree, and its size and prefix; by a connection of the database's owner. Null when there is no
 * such tenant.
 *
 * @param access the new access; unchanged when absent
 */
export async function treeStatus(
  pool: pg.Pool,
  tenant: string,
  access?: TreeAccess,
): Promise<TreeStatus | null> {
  if (access !== undefined) {
    await inTransaction(pool, async (client) => {
      const { rowCount } = await client.query(
        'UPDATE tenant SET tree_access = $2 WHERE tenant = $1',
        [tenant, access],
      );
      if (rowCount === 0) return;
      await saveCommandEvent(client, { tenant, kind: 'tree.access_changed', detail: { access } });
    });
  }
  const { rows } = await pool.query<TreeStatus>(
    `SELECT t.ledger_id AS "ledgerId", t.generation, t.tree_access AS access, (
       SELECT x.note FROM tree_head x WHERE x.tenant = t.tenant AND x.generation = t.generation
       ORDER BY x.size DESC LIMIT 1) AS note
     FROM tenant t WHERE t.tenant = $1`,
    [tenant],
  );
  return rows[0] ?? null;
}
