import { ask, askOne, statement, statements } from '@countersign/database';
import type { Pool, Statement } from '@countersign/database';
import type { SecurityEntry } from '@countersign/protocol';

/** The filters of a list; null where there is none. Times are epoch milliseconds. */
export interface SecuritySearch {
  readonly kind: string | null;
  readonly actor: string | null;
  readonly subject: string | null;
  readonly request: string | null;
  readonly since: number | null;
  readonly before: number | null;
}

export interface SecurityLogOf {
  readonly ledger_id: string;
  readonly directory_revision: number;
}

const ENTRY = 'e.sequence, e.previous_head, e.head, e.entry';
const LAST = Number.MAX_SAFE_INTEGER;

/**
 * Events are chained a moment after they happened, so the order of their times is not quite that of their numbers: by how
 * many entries the two may differ where a list looks for a time.
 */
const OUT_OF_ORDER = 1000;

/** The most selective condition leads, by an index of its own; the others are compared on the way. */
const listSql = (lead: string) => `SELECT ${ENTRY} FROM security_entry e
  WHERE e.tenant = $1 AND ${lead} AND e.sequence > :low AND e.sequence < :high
    AND (:kind::text IS NULL OR e.kind = :kind) AND (:actor::text IS NULL OR e.actor = :actor)
    AND (:subject::text IS NULL OR e.subject = :subject) AND (:request::uuid IS NULL OR e.request_id = :request)
    AND (:since::timestamptz IS NULL OR e.created_at >= :since) AND (:before::timestamptz IS NULL OR e.created_at < :before)
  ORDER BY e.sequence DESC LIMIT :most`;

export const SECURITY_LISTS = {
  request: statement('security.list-request', listSql('e.request_id = :request::uuid')),
  subject: statement('security.list-subject', listSql('e.subject = :subject')),
  actor: statement('security.list-actor', listSql('e.actor = :actor')),
  kind: statement('security.list-kind', listSql(`e.kind = :kind AND e.kind <> ''`)),
  all: statement('security.list', listSql('true')),
} as const;

const firstEntry = (
  condition: string,
  order: 'ASC' | 'DESC',
) => `SELECT e.sequence FROM security_entry e
  WHERE e.tenant = $1 AND e.created_at ${condition} :time::timestamptz ORDER BY e.created_at ${order} LIMIT 1`;

export const SECURITY_READING = statements('security', {
  logOf: 'SELECT t.ledger_id, t.directory_revision FROM tenant t WHERE t.tenant = $1',
  end: 'SELECT h.ledger_id, h.sequence FROM security_head h WHERE h.tenant = $1',
  chain: `SELECT ${ENTRY} FROM security_entry e WHERE e.tenant = $1 AND e.sequence > :after ORDER BY e.sequence LIMIT :most`,
  checkpoints: `SELECT k.checkpoint FROM security_checkpoint k
    WHERE k.tenant = $1 AND k.sequence > :after AND k.sequence <= :through ORDER BY k.sequence, k.generation`,
  since: firstEntry('>=', 'ASC'),
  before: firstEntry('<', 'DESC'),
});

/** The security log as its readers see it. */
export class SecurityReadingStore {
  constructor(private readonly pool: Pool) {}

  logOf(tenant: string): Promise<SecurityLogOf | undefined> {
    return askOne(this.pool, SECURITY_READING.logOf, { tenant });
  }

  /** The ledger id that a log's checkpoints name, that of the installation too, and how many entries the chain has. */
  end(tenant: string): Promise<{ ledger_id: string; sequence: number } | undefined> {
    return askOne(this.pool, SECURITY_READING.end, { tenant });
  }

  /** Newest first, from behind the entry `after`, or from the end. */
  async list(
    tenant: string,
    search: SecuritySearch,
    after: number | null,
    most: number,
  ): Promise<SecurityEntry[]> {
    const { since, before } = search;
    const [low, high] = await this.#bounds(tenant, since, before);
    const lead = (['request', 'subject', 'actor', 'kind'] as const).find(
      (name) => search[name] !== null,
    );
    const { rows } = await ask<SecurityEntry>(this.pool, SECURITY_LISTS[lead ?? 'all'], {
      ...search,
      tenant,
      low,
      high: Math.min(high, after ?? LAST),
      since: since === null ? null : new Date(since),
      before: before === null ? null : new Date(before),
      most,
    });
    return rows;
  }

  /** The chain from behind `after`, ascending. */
  async chain(tenant: string, after: number, most: number): Promise<SecurityEntry[]> {
    const values = { tenant, after, most };
    return (await ask<SecurityEntry>(this.pool, SECURITY_READING.chain, values)).rows;
  }

  /** Texts of the checkpoints of every generation over these entries. */
  async checkpoints(tenant: string, after: number, through: number): Promise<string[]> {
    const values = { tenant, after, through };
    const { rows } = await ask<{ checkpoint: string }>(
      this.pool,
      SECURITY_READING.checkpoints,
      values,
    );
    return rows.map(({ checkpoint }) => checkpoint);
  }

  /** Between which numbers entries of these times lie. */
  async #bounds(tenant: string, since: number | null, before: number | null) {
    const at = (of: Statement, time: number) =>
      askOne<{ sequence: number }>(this.pool, of, { tenant, time: new Date(time) });
    const first = since === null ? null : await at(SECURITY_READING.since, since);
    const last = before === null ? null : await at(SECURITY_READING.before, before);
    return [
      first === null ? 0 : (first?.sequence ?? LAST) - OUT_OF_ORDER,
      last === null ? LAST : (last?.sequence ?? 0) + OUT_OF_ORDER,
    ] as const;
  }
}
