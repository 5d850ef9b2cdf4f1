import { ask, askOne, statements } from '@countersign/database';
import type { Pool } from '@countersign/database';

export interface HoldRow {
  readonly id: string;
  /** Signed texts of its LegalHoldSet in force, and of its LegalHoldLifted or null. */
  readonly record: string;
  readonly lifted: string | null;
  readonly in_force: boolean;
}

export interface ReadingRow {
  readonly hold: string;
  readonly by: string;
  readonly request: string;
  readonly at: number;
}

/** Who asks: the directory's revision, and the signed text of the membership or null. */
export interface CustodianRow {
  readonly directory_revision: number;
  readonly membership: string | null;
}

export const CUSTODY = statements('custody', {
  custodian: `SELECT t.directory_revision,
    (SELECT m.record FROM membership m WHERE m.tenant = $1 AND m.principal = :principal) AS membership
  FROM tenant t WHERE t.tenant = $1`,
  holds: `SELECT h.id, h.record, h.lifted, h.lifted_at IS NULL AND h.until > clock_timestamp() AS in_force
  FROM hold h WHERE h.tenant = $1 AND h.id > :behind::uuid AND h.record IS NOT NULL ORDER BY h.id LIMIT :most`,
  summaries: `SELECT r.id, r.summary FROM unnest(:ids::uuid[]) AS i (id)
  CROSS JOIN LATERAL (SELECT x.id, x.summary FROM request x WHERE x.tenant = $1 AND x.id = i.id LIMIT 1) r`,
  readings: `SELECT h.id AS hold, e.actor AS by, e.request_id AS request,
    floor(extract(epoch FROM e.created_at) * 1000)::float8 AS at
  FROM unnest(:holds::text[]) AS h (id)
  CROSS JOIN LATERAL (SELECT x.actor, x.request_id, x.created_at FROM security_entry x
    WHERE x.tenant = $1 AND x.subject = h.id AND x.kind = 'held_export.read' ORDER BY x.sequence DESC LIMIT :most) e`,
});

const FIRST = '00000000-0000-0000-0000-000000000000';

/** The holds of a tenant, as custodians see them. */
export class CustodyStore {
  constructor(private readonly pool: Pool) {}

  custodian(tenant: string, principal: string): Promise<CustodianRow | undefined> {
    return askOne(this.pool, CUSTODY.custodian, { tenant, principal });
  }

  /** In the order of their ids, those behind `after`. */
  async holds(tenant: string, after: string | null, most: number): Promise<HoldRow[]> {
    const values = { tenant, behind: after ?? FIRST, most };
    return (await ask<HoldRow>(this.pool, CUSTODY.holds, values)).rows;
  }

  /** Of those requests that are there, by id. */
  async summaries(tenant: string, ids: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await ask<{ id: string; summary: string }>(this.pool, CUSTODY.summaries, {
      tenant,
      ids,
    });
    return new Map(rows.map(({ id, summary }) => [id, summary]));
  }

  /** The newest `most` of each hold, the newest first. */
  async readings(tenant: string, holds: readonly string[], most: number): Promise<ReadingRow[]> {
    const values = { tenant, holds, most };
    return (await ask<ReadingRow>(this.pool, CUSTODY.readings, values)).rows;
  }
}
