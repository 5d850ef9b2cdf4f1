import type { Pool } from '@countersign/database';
import type { SecurityEntry } from '@countersign/protocol';

/** Where the security log may be sent to. */
export type SinkName = 'lines' | 'otlp' | 'syslog';

/** How far a sink may fall behind each chain before entries are left out. */
export interface StreamBounds {
  readonly entries: number;
  readonly hours: number;
}

/** An entry to send: the columns that the reads of the log show, with its chain. */
export interface StreamedEntry extends SecurityEntry {
  readonly tenant: string;
  /** Of the chain. */
  readonly ledger_id: string;
}

/** Entries of one chain that a sink does not get. */
export interface SkippedEntries {
  readonly tenant: string;
  readonly entries: number;
}

export interface SinkMetrics {
  readonly sink: SinkName;
  readonly unsent: number;
  readonly lagSeconds: number;
}

/** Chains that one batch takes entries of, those first whose entries wait longest. */
const CHAINS = 20;

const TOO_OLD = 'clock_timestamp() - make_interval(hours => $3)';
/** The last entry of chain `h` that is too old to be sent. */
const LAST_TOO_OLD = `(SELECT e.sequence FROM security_entry e WHERE e.tenant = h.tenant AND e.created_at < ${TOO_OLD}
  ORDER BY e.created_at DESC LIMIT 1)`;

/** Up to where each sink has each chain, and who sends. */
export class SecurityStreamStore {
  constructor(private readonly pool: Pool) {}

  /** Takes or renews the right to send to that sink; false while another process has it. */
  async hold(sink: SinkName, holder: string, seconds: number): Promise<boolean> {
    const { rowCount } = await this.pool.ofNoTenant.query({
      name: 'stream.hold',
      text: `INSERT INTO security_sink AS s (sink, holder, held_until)
          VALUES ($1, $2::uuid, clock_timestamp() + make_interval(secs => $3))
        ON CONFLICT (sink) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
        WHERE s.holder = excluded.holder OR s.held_until IS NULL OR s.held_until < clock_timestamp()`,
      values: [sink, holder, seconds],
    });
    return rowCount === 1;
  }

  /** Gives that right up, so that the next one need not wait. */
  async release(sink: SinkName, holder: string): Promise<void> {
    await this.pool.ofNoTenant.query({
      name: 'stream.release',
      text: 'UPDATE security_sink SET held_until = NULL WHERE sink = $1 AND holder = $2::uuid',
      values: [sink, holder],
    });
  }

  /** Begins chains that are new to the sink: with the entries within the bounds. */
  async begin(sink: SinkName, bounds: StreamBounds): Promise<void> {
    await this.pool.acrossTenants.query({
      name: 'stream.begin',
      text: `INSERT INTO security_position (sink, tenant, sequence)
        SELECT $1, h.tenant, greatest(0, h.sequence - $2::bigint, ${LAST_TOO_OLD}) FROM security_head h
        WHERE NOT EXISTS (SELECT FROM security_position p WHERE p.sink = $1 AND p.tenant = h.tenant)
        ON CONFLICT DO NOTHING`,
      values: [sink, bounds.entries, bounds.hours],
    });
  }

  /** Skips the entries beyond the bounds, and counts them. */
  async skip(sink: SinkName, bounds: StreamBounds): Promise<SkippedEntries[]> {
    const { rows } = await this.pool.acrossTenants.query<SkippedEntries>({
      name: 'stream.skip',
      text: `WITH late AS (
          SELECT h.tenant, p.sequence AS before, greatest(h.sequence - $2::bigint,
            CASE WHEN f.created_at < ${TOO_OLD} THEN greatest(p.sequence + 1, ${LAST_TOO_OLD}) END) AS upto
          FROM security_position p JOIN security_head h ON h.tenant = p.tenant
          CROSS JOIN LATERAL (SELECT e.created_at FROM security_entry e
            WHERE e.tenant = p.tenant AND e.sequence = p.sequence + 1 LIMIT 1) f
          WHERE p.sink = $1 AND p.sequence < h.sequence
            AND (h.sequence - p.sequence > $2::bigint OR f.created_at < ${TOO_OLD})
        ), moved AS (
          UPDATE security_position p SET sequence = l.upto FROM late l
          WHERE p.sink = $1 AND p.tenant = l.tenant AND p.sequence = l.before
          RETURNING p.tenant, l.upto - l.before AS entries
        ), counted AS (
          UPDATE security_sink SET unsent = unsent + (SELECT sum(m.entries) FROM moved m)
          WHERE sink = $1 AND EXISTS (SELECT FROM moved)
        ) SELECT m.tenant, m.entries FROM moved m`,
      values: [sink, bounds.entries, bounds.hours],
    });
    return rows;
  }

  /** The next entries for the sink, at most `most`: a range of each chain without a gap, in order. */
  async next(sink: SinkName, most: number): Promise<StreamedEntry[]> {
    const { rows } = await this.pool.acrossTenants.query<StreamedEntry>({
      name: 'stream.next',
      text: `SELECT b.tenant, b.ledger_id, e.sequence, e.previous_head, e.head, e.entry
        FROM (SELECT h.tenant, h.ledger_id, p.sequence, f.created_at
          FROM security_position p JOIN security_head h ON h.tenant = p.tenant
          CROSS JOIN LATERAL (SELECT x.created_at FROM security_entry x
            WHERE x.tenant = p.tenant AND x.sequence = p.sequence + 1 LIMIT 1) f
          WHERE p.sink = $1 AND p.sequence < h.sequence ORDER BY f.created_at LIMIT ${CHAINS}) b
        CROSS JOIN LATERAL (SELECT x.* FROM security_entry x
          WHERE x.tenant = b.tenant AND x.sequence > b.sequence ORDER BY x.sequence LIMIT $2) e
        ORDER BY b.created_at, b.tenant, e.sequence LIMIT $2`,
      values: [sink, most],
    });
    return rows;
  }

  /**
   * Moves the positions behind these entries, which came from {@link next}; a position that another process has moved
   * meanwhile stays. The collector refused `refused` of them.
   */
  async sent(sink: SinkName, entries: readonly StreamedEntry[], refused: number): Promise<void> {
    const ends = new Map<string, { first: number; last: number }>();
    for (const { tenant, sequence } of entries) {
      ends.set(tenant, { first: ends.get(tenant)?.first ?? sequence, last: sequence });
    }
    const stretches = [...ends.values()];
    await this.pool.acrossTenants.query({
      name: 'stream.sent',
      text: `WITH moved AS (
          UPDATE security_position p SET sequence = m.last
          FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS m (tenant, first, last)
          WHERE p.sink = $1 AND p.tenant = m.tenant AND p.sequence = m.first - 1
        ) UPDATE security_sink SET unsent = unsent + $5 WHERE sink = $1 AND $5 > 0`,
      values: [
        sink,
        [...ends.keys()],
        stretches.map(({ first }) => first),
        stretches.map(({ last }) => last),
        refused,
      ],
    });
  }

  /** How each of these sinks stands: the same from every replica. */
  async metrics(sinks: readonly SinkName[]): Promise<SinkMetrics[]> {
    const { rows } = await this.pool.acrossTenants.query<SinkMetrics>({
      name: 'stream.figures',
      text: `SELECT s.sink, s.unsent,
          coalesce(greatest(extract(epoch FROM clock_timestamp() - w.oldest), 0), 0)::float8 AS "lagSeconds"
        FROM security_sink s CROSS JOIN LATERAL (
          SELECT min(f.created_at) AS oldest
          FROM security_position p JOIN security_head h ON h.tenant = p.tenant
          CROSS JOIN LATERAL (SELECT e.created_at FROM security_entry e
            WHERE e.tenant = p.tenant AND e.sequence = p.sequence + 1 LIMIT 1) f
          WHERE p.sink = s.sink AND p.sequence < h.sequence) w
        WHERE s.sink = ANY ($1)`,
      values: [sinks],
    });
    return rows;
  }
}
