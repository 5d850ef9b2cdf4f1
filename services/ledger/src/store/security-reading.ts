import type { Pool } from '@countersign/database';
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
const LEADS = {
  request: 'e.request_id = $5::uuid',
  subject: 'e.subject = $4',
  actor: 'e.actor = $3',
  kind: `e.kind = $2 AND e.kind <> ''`,
  all: 'true',
} as const;

const listSql = (lead: keyof typeof LEADS) => `SELECT ${ENTRY} FROM security_entry e
  WHERE e.tenant = $1 AND ${LEADS[lead]} AND e.sequence > $6 AND e.sequence < $7
    AND ($2::text IS NULL OR e.kind = $2) AND ($3::text IS NULL OR e.actor = $3)
    AND ($4::text IS NULL OR e.subject = $4) AND ($5::uuid IS NULL OR e.request_id = $5)
    AND ($8::timestamptz IS NULL OR e.created_at >= $8) AND ($9::timestamptz IS NULL OR e.created_at < $9)
  ORDER BY e.sequence DESC LIMIT $10`;

const LISTS = {
  request: { name: 'security.list-request', text: listSql('request') },
  subject: { name: 'security.list-subject', text: listSql('subject') },
  actor: { name: 'security.list-actor', text: listSql('actor') },
  kind: { name: 'security.list-kind', text: listSql('kind') },
  all: { name: 'security.list', text: listSql('all') },
} as const;

/** The security log as its readers see it. */
export class SecurityReadingStore {
  constructor(private readonly pool: Pool) {}

  async logOf(tenant: string): Promise<SecurityLogOf | undefined> {
    const { rows } = await this.pool.of(tenant).query<SecurityLogOf>({
      name: 'security.log-of',
      text: 'SELECT t.ledger_id, t.directory_revision FROM tenant t WHERE t.tenant = $1',
      values: [tenant],
    });
    return rows[0];
  }

  /** The ledger id that a log's checkpoints name; that of the installation too. */
  async chainIdOf(tenant: string): Promise<string | undefined> {
    const { rows } = await this.pool.of(tenant).query<{ ledger_id: string }>({
      name: 'security.chain-id-of',
      text: 'SELECT h.ledger_id FROM security_head h WHERE h.tenant = $1',
      values: [tenant],
    });
    return rows[0]?.ledger_id;
  }

  /** Newest first, from behind the entry `after`, or from the end. */
  async list(
    tenant: string,
    search: SecuritySearch,
    after: number | null,
    most: number,
  ): Promise<SecurityEntry[]> {
    const { kind, actor, subject, request, since, before } = search;
    const [low, high] = await this.#bounds(tenant, since, before);
    const lead =
      request !== null
        ? 'request'
        : subject !== null
          ? 'subject'
          : actor !== null
            ? 'actor'
            : kind !== null
              ? 'kind'
              : 'all';
    const { rows } = await this.pool.of(tenant).query<SecurityEntry>({
      ...LISTS[lead],
      values: [
        tenant,
        kind,
        actor,
        subject,
        request,
        low,
        Math.min(high, after ?? LAST),
        since === null ? null : new Date(since),
        before === null ? null : new Date(before),
        most,
      ],
    });
    return rows;
  }

  /** How many entries the chain has. */
  async length(tenant: string): Promise<number> {
    const { rows } = await this.pool.of(tenant).query<{ sequence: number }>({
      name: 'security.length',
      text: 'SELECT h.sequence FROM security_head h WHERE h.tenant = $1',
      values: [tenant],
    });
    return rows[0]?.sequence ?? 0;
  }

  /** The chain from behind `after`, ascending. */
  async chain(tenant: string, after: number, most: number): Promise<SecurityEntry[]> {
    const { rows } = await this.pool.of(tenant).query<SecurityEntry>({
      name: 'security.chain',
      text: `SELECT ${ENTRY} FROM security_entry e WHERE e.tenant = $1 AND e.sequence > $2 ORDER BY e.sequence LIMIT $3`,
      values: [tenant, after, most],
    });
    return rows;
  }

  /** Texts of the checkpoints of every generation over these entries. */
  async checkpoints(tenant: string, after: number, through: number): Promise<string[]> {
    const { rows } = await this.pool.of(tenant).query<{ checkpoint: string }>({
      name: 'security.checkpoints',
      text: `SELECT k.checkpoint FROM security_checkpoint k
        WHERE k.tenant = $1 AND k.sequence > $2 AND k.sequence <= $3 ORDER BY k.sequence, k.generation`,
      values: [tenant, after, through],
    });
    return rows.map(({ checkpoint }) => checkpoint);
  }

  /** Between which numbers entries of these times lie. */
  async #bounds(tenant: string, since: number | null, before: number | null) {
    const at = async (name: string, condition: string, order: string, time: number | null) => {
      if (time === null) return null;
      const { rows } = await this.pool.of(tenant).query<{ sequence: number }>({
        name,
        text: `SELECT e.sequence FROM security_entry e WHERE e.tenant = $1 AND e.created_at ${condition} $2::timestamptz
          ORDER BY e.created_at ${order} LIMIT 1`,
        values: [tenant, new Date(time)],
      });
      return rows[0]?.sequence ?? (order === 'ASC' ? LAST : 0);
    };
    const first = await at('security.since', '>=', 'ASC', since);
    const last = await at('security.before', '<', 'DESC', before);
    return [
      first === null ? 0 : first - OUT_OF_ORDER,
      last === null ? LAST : last + OUT_OF_ORDER,
    ] as const;
  }
}
