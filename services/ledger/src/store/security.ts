import type pg from 'pg';
import {
  NOW,
  acrossTenants,
  ask,
  askOne,
  asked,
  inTransaction,
  statements,
} from '@countersign/database';
import type { Pool } from '@countersign/database';
import { CHAIN_START, chainSecurityEvent } from '@countersign/protocol';
import type { ChainPoint, JsonObject, SecurityEntry, SecurityEvent } from '@countersign/protocol';

interface EventRow {
  id: number;
  kind: string;
  source: string;
  actor: string | null;
  actor_kind: string | null;
  subject: string | null;
  request_id: string | null;
  detail: JsonObject;
  created_at: number;
}

/** Where a chain is to be signed. */
export interface SecurityPosition {
  readonly tenant: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly sequence: number;
  readonly head: string;
  readonly now: number;
}

/** A signed checkpoint that the anchor store has not accepted yet. */
export interface OpenSecurityCheckpoint {
  readonly tenant: string;
  readonly ledgerId: string;
  readonly generation: string;
  readonly sequence: number;
  readonly text: string;
  readonly createdAt: number;
}

const age = (oldest: string) =>
  `coalesce(greatest(extract(epoch FROM clock_timestamp() - (${oldest})), 0), 0)::float8`;

export const SECURITY = statements('security', {
  // One look at the index for each chain, however many of its events wait.
  waiting: acrossTenants(`WITH RECURSIVE w AS (
      (SELECT e.tenant FROM security_event e ORDER BY e.tenant LIMIT 1)
      UNION ALL
      SELECT (SELECT e.tenant FROM security_event e WHERE e.tenant > w.tenant ORDER BY e.tenant LIMIT 1)
      FROM w WHERE w.tenant IS NOT NULL
    ) SELECT tenant FROM w WHERE tenant IS NOT NULL`),
  head: 'SELECT sequence, head FROM security_head WHERE tenant = $1 FOR UPDATE SKIP LOCKED',
  begin: `INSERT INTO security_head (tenant, ledger_id, generation)
    SELECT t.tenant, t.ledger_id, t.generation FROM tenant t WHERE t.tenant = $1 ON CONFLICT DO NOTHING`,
  events: `SELECT e.id, e.kind, e.source, e.actor, e.actor_kind, e.subject, e.request_id, e.detail, e.created_at
    FROM security_event e WHERE e.tenant = $1 ORDER BY e.id LIMIT :most`,
  append: `WITH taken AS (
      DELETE FROM security_event WHERE tenant = $1 AND id = ANY (:ids::bigint[])
    ) INSERT INTO security_entry
      (tenant, sequence, previous_head, head, kind, actor, subject, request_id, created_at, entry)
    SELECT $1, x.* FROM unnest(:sequences::bigint[], :previous_heads::text[], :heads::text[], :kinds::text[], :actors::text[],
      :subjects::text[], :request_ids::uuid[], :times::timestamptz[], :entries::text[]) AS x`,
  moveHead: 'UPDATE security_head SET sequence = :sequence, head = :head WHERE tenant = $1',
  unsigned:
    acrossTenants(`SELECT h.tenant, h.ledger_id AS "ledgerId", coalesce(t.generation, h.generation) AS generation, h.sequence, h.head,
      ${NOW} AS now
    FROM security_head h LEFT JOIN tenant t ON t.tenant = h.tenant
    CROSS JOIN LATERAL (SELECT e.created_at FROM security_entry e
      WHERE e.tenant = h.tenant AND e.sequence = h.checkpoint_sequence + 1 LIMIT 1) f
    WHERE h.checkpoint_sequence < h.sequence AND t.fence_reason IS DISTINCT FROM 'ledger_behind_anchor'
      AND (h.sequence - h.checkpoint_sequence >= :most
        OR f.created_at <= clock_timestamp() - make_interval(secs => :seconds))
    ORDER BY h.tenant LIMIT 1000`),
  saveCheckpoint: `WITH h AS (
      UPDATE security_head SET checkpoint_sequence = :sequence WHERE tenant = $1 AND checkpoint_sequence < :sequence RETURNING 1
    ) INSERT INTO security_checkpoint (tenant, generation, sequence, checkpoint, created_at)
      SELECT $1, :generation::uuid, :sequence, :text, :created_at::timestamptz FROM h`,
  openCheckpoints:
    acrossTenants(`SELECT h.tenant, h.ledger_id AS "ledgerId", k.generation, k.sequence, k.checkpoint AS text,
      k.created_at AS "createdAt"
    FROM security_head h LEFT JOIN tenant t ON t.tenant = h.tenant
    CROSS JOIN LATERAL (SELECT x.* FROM security_checkpoint x
      WHERE x.tenant = h.tenant AND x.generation = coalesce(t.generation, h.generation) AND x.acceptance IS NULL
      ORDER BY x.sequence LIMIT 1) k
    WHERE t.fence_reason IS DISTINCT FROM 'ledger_behind_anchor'`),
  lag: acrossTenants(`SELECT ${age(`SELECT min(w.created_at) FROM security_head h CROSS JOIN LATERAL (
        SELECT e.created_at FROM security_event e WHERE e.tenant = h.tenant ORDER BY e.id LIMIT 1) w`)} AS "unchainedSeconds",
      ${age(`SELECT min(f.created_at) FROM security_head h LEFT JOIN tenant t ON t.tenant = h.tenant
        LEFT JOIN LATERAL (SELECT x.sequence FROM security_checkpoint x
          WHERE x.tenant = h.tenant AND x.generation = coalesce(t.generation, h.generation) AND x.acceptance IS NOT NULL
          ORDER BY x.sequence DESC LIMIT 1) k ON true
        CROSS JOIN LATERAL (SELECT e.created_at FROM security_entry e
          WHERE e.tenant = h.tenant AND e.sequence = coalesce(k.sequence, 0) + 1 LIMIT 1) f`)} AS "unanchoredSeconds"`),
  accepted: `UPDATE security_checkpoint SET acceptance = :acceptance, accepted_at = clock_timestamp(), error = NULL
    WHERE tenant = $1 AND generation = :generation AND sequence = :sequence`,
  failed: `UPDATE security_checkpoint SET attempts = attempts + 1, error = :fault
    WHERE tenant = $1 AND generation = :generation AND sequence = :sequence`,
});

interface SecurityLag {
  readonly unchainedSeconds: number;
  readonly unanchoredSeconds: number;
}

/** The chain of the security log beside each tenant's ledger, and that of the installation. */
export class SecurityStore {
  constructor(private readonly pool: Pool) {}

  /** Chains with events that wait. */
  async waiting(): Promise<string[]> {
    const { rows } = await ask<{ tenant: string }>(this.pool, SECURITY.waiting, {});
    return rows.map(({ tenant }) => tenant);
  }

  /**
   * Appends waiting events, at most `most`, in one transaction; one writer a chain, by the lock on its head. Answers how
   * many were appended, 0 also when another process holds the chain.
   */
  async drain(tenant: string, most: number): Promise<number> {
    return inTransaction(this.pool.of(tenant), async (client) => {
      const head = await lockedHead(client, tenant);
      if (head === null) return 0;
      const { rows: events } = await client.query<EventRow>(
        asked(SECURITY.events, { tenant, most }),
      );
      if (events.length === 0) return 0;
      let end = head;
      const chained = events.map((row) => {
        const entry = chainSecurityEvent(end, eventOf(tenant, row));
        end = entry;
        return { row, entry };
      });
      await append(client, tenant, chained);
      const { sequence, head: last } = end;
      await client.query(asked(SECURITY.moveHead, { tenant, sequence, head: last }));
      return events.length;
    });
  }

  /**
   * Chains that are to be signed: those with `most` entries that no checkpoint covers, and those whose first such entry is
   * older than `seconds`. A fenced tenant's is not: its database may be a restored one, which must not write.
   */
  async unsigned(most: number, seconds: number): Promise<SecurityPosition[]> {
    return (await ask<SecurityPosition>(this.pool, SECURITY.unsigned, { most, seconds })).rows;
  }

  /** Keeps a signed checkpoint; another process may have been first, and nothing is kept then. */
  async saveCheckpoint(position: SecurityPosition, text: string): Promise<void> {
    const { tenant, generation, sequence, now } = position;
    const values = { tenant, generation, sequence, text, created_at: new Date(now) };
    await ask(this.pool, SECURITY.saveCheckpoint, values);
  }

  /** Of each chain the oldest checkpoint of its generation that the anchor store has not accepted. */
  async openCheckpoints(): Promise<OpenSecurityCheckpoint[]> {
    return (await ask<OpenSecurityCheckpoint>(this.pool, SECURITY.openCheckpoints, {})).rows;
  }

  /** Seconds that the oldest event waits to be chained, and the oldest entry for an accepted checkpoint; 0 when none does. */
  async lag(): Promise<SecurityLag> {
    return (await askOne<SecurityLag>(this.pool, SECURITY.lag, {})) as SecurityLag;
  }

  async accepted({ tenant, generation, sequence }: OpenSecurityCheckpoint, acceptance: string) {
    await ask(this.pool, SECURITY.accepted, { tenant, generation, sequence, acceptance });
  }

  async failed({ tenant, generation, sequence }: OpenSecurityCheckpoint, fault: string) {
    await ask(this.pool, SECURITY.failed, { tenant, generation, sequence, fault });
  }
}

/** The chain's end, held until the transaction ends; null when another process holds it. */
async function lockedHead(client: pg.PoolClient, tenant: string): Promise<ChainPoint | null> {
  const { rows } = await client.query<ChainPoint>(asked(SECURITY.head, { tenant }));
  if (rows[0] !== undefined) return rows[0];
  // A tenant that was made since its first event: its chain begins now.
  const { rowCount } = await client.query(asked(SECURITY.begin, { tenant }));
  return rowCount === 1 ? CHAIN_START : null;
}

async function append(
  client: pg.PoolClient,
  tenant: string,
  chained: readonly { row: EventRow; entry: SecurityEntry }[],
): Promise<void> {
  const values = {
    tenant,
    ids: chained.map(({ row }) => row.id),
    sequences: chained.map(({ entry }) => entry.sequence),
    previous_heads: chained.map(({ entry }) => entry.previous_head),
    heads: chained.map(({ entry }) => entry.head),
    kinds: chained.map(({ row }) => row.kind),
    actors: chained.map(({ row }) => row.actor),
    subjects: chained.map(({ row }) => row.subject),
    request_ids: chained.map(({ row }) => row.request_id),
    times: chained.map(({ row }) => new Date(row.created_at)),
    entries: chained.map(({ entry }) => entry.entry),
  };
  await client.query(asked(SECURITY.append, values));
}

const ROLE = /^countersign_(gateway|request|ledger)$/;

function eventOf(tenant: string, row: EventRow): SecurityEvent {
  const { kind, actor, actor_kind, subject, request_id, detail, created_at } = row;
  return {
    tenant,
    kind,
    source: ROLE.exec(row.source)?.[1] ?? 'command',
    actor: actor === null ? null : { id: actor, kind: actor_kind ?? 'unknown' },
    subject,
    request_id,
    detail,
    time: new Date(created_at).toISOString(),
  };
}
