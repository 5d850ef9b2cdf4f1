import type pg from 'pg';

export interface KnownProducer {
  readonly tenant: string;
  readonly id: string;
  /** The person who counts as requester of what it asks (R22); null when none is configured. */
  readonly owner: string | null;
}

/** Enabled producers of that id, of one tenant or of all, as the database's owner. */
export async function producersNamed(
  pool: pg.Pool,
  id: string,
  tenant: string | null,
): Promise<KnownProducer[]> {
  const { rows } = await pool.query<{ tenant: string; id: string; owner: string | null }>(
    `SELECT p.tenant, p.id, p.config ->> 'owner' AS owner FROM principal p
     WHERE p.id = $1 AND p.kind = 'producer' AND p.enabled AND p.tenant = coalesce($2, p.tenant) ORDER BY p.tenant`,
    [id, tenant],
  );
  return rows;
}
