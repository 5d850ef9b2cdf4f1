import { acrossTenants, ask, askOne, ofNoTenant, statements } from '@countersign/database';
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

const TOO_OLD = 'clock_timestamp() - make_interval(hours => :hours)';
/** The last entry of chain `h` that is too old to be sent. */
const LAST_TOO_OLD = `(SELECT e.sequence FROM security_entry e WHERE e.tenant = h.tenant AND e.created_at < ${TOO_OLD}
  ORDER BY e.created_at DESC LIMIT 1)`;

export const STREAM = statements('stream', {
  hold: ofNoTenant(`INSERT INTO security_sink AS s (sink, holder, held_until)
      VALUES (:sink, :holder::uuid, clock_timestamp() + make_interval(secs => :seconds))
    ON CONFLICT (sink) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
    WHERE s.holder = excluded.holder OR s.held_until IS NULL OR s.held_until < clock_timestamp() RETURNING 1`),
  release: ofNoTenant(
    'UPDATE security_sink SET held_until = NULL WHERE sink = :sink AND holder = :holder::uuid',
  ),
  begin: acrossTenants(`INSERT INTO security_position (sink, tenant, sequence)
    SELECT :sink, h.tenant, greatest(0, h.sequence - :entries::bigint, ${LAST_TOO_OLD}) FROM security_head h
    WHERE NOT EXISTS (SELECT FROM security_position p WHERE p.sink = :sink AND p.tenant = h.tenant)
    ON CONFLICT DO NOTHING`),
  skip: acrossTenants(`WITH late AS (
      SELECT h.tenant, p.sequence AS before, greatest(h.sequence - :entries::bigint,
        CASE WHEN f.created_at < ${TOO_OLD} THEN greatest(p.sequence + 1, ${LAST_TOO_OLD}) END) AS upto
      FROM security_position p JOIN security_head h ON h.tenant = p.tenant
      CROSS JOIN LATERAL (SELECT e.created_at FROM security_entry e
        WHERE e.tenant = p.tenant AND e.sequence = p.sequence + 1 LIMIT 1) f
      WHERE p.sink = :sink AND p.sequence < h.sequence
        AND (h.sequence - p.sequence > :entries::bigint OR f.created_at < ${TOO_OLD})
    ), moved AS (
      UPDATE security_position p SET sequence = l.upto FROM late l
      WHERE p.sink = :sink AND p.tenant = l.tenant AND p.sequence = l.before
      RETURNING p.tenant, l.upto - l.before AS entries
    ), counted AS (
      UPDATE security_sink SET unsent = unsent + (SELECT sum(m.entries) FROM moved m)
      WHERE sink = :sink AND EXISTS (SELECT FROM moved)
    ) SELECT m.tenant, m.entries FROM moved m`),
  next: acrossTenants(`SELECT b.tenant, b.ledger_id, e.sequence, e.previous_head, e.head, e.entry
    FROM (SELECT h.tenant, h.ledger_id, p.sequence, f.created_at
      FROM security_position p JOIN security_head h ON h.tenant = p.tenant
      CROSS JOIN LATERAL (SELECT x.created_at FROM security_entry x
        WHERE x.tenant = p.tenant AND x.sequence = p.sequence + 1 LIMIT 1) f
      WHERE p.sink = :sink AND p.sequence < h.sequence ORDER BY f.created_at LIMIT ${CHAINS}) b
    CROSS JOIN LATERAL (SELECT x.* FROM security_entry x
      WHERE x.tenant = b.tenant AND x.sequence > b.sequence ORDER BY x.sequence LIMIT :most) e
    ORDER BY b.created_at, b.tenant, e.sequence LIMIT :most`),
  sent: acrossTenants(`WITH moved AS (
      UPDATE security_position p SET sequence = m.last
      FROM unnest(:tenants::text[], :firsts::bigint[], :lasts::bigint[]) AS m (tenant, first, last)
      WHERE p.sink = :sink AND p.tenant = m.tenant AND p.sequence = m.first - 1
    ) UPDATE security_sink SET unsent = unsent + :refused WHERE sink = :sink AND :refused > 0`),
  sinkMetrics: acrossTenants(`SELECT s.sink, s.unsent,
      coalesce(greatest(extract(epoch FROM clock_timestamp() - w.oldest), 0), 0)::float8 AS "lagSeconds"
    FROM security_sink s CROSS JOIN LATERAL (
      SELECT min(f.created_at) AS oldest
      FROM security_position p JOIN security_head h ON h.tenant = p.tenant
      CROSS JOIN LATERAL (SELECT e.created_at FROM security_entry e
        WHERE e.tenant = p.tenant AND e.sequence = p.sequence + 1 LIMIT 1) f
      WHERE p.sink = s.sink AND p.sequence < h.sequence) w
    WHERE s.sink = ANY (:sinks)`),
});

/** Up to where each sink has each chain, and who sends. */
export class SecurityStreamStore {
  constructor(private readonly pool: Pool) {}

  /** Takes or renews the right to send to that sink; false while another process has it. */
  async hold(sink: SinkName, holder: string, seconds: number): Promise<boolean> {
    return (await askOne(this.pool, STREAM.hold, { sink, holder, seconds })) !== undefined;
  }

  /** Gives that right up, so that the next one need not wait. */
  async release(sink: SinkName, holder: string): Promise<void> {
    await ask(this.pool, STREAM.release, { sink, holder });
  }

  /** Begins chains that are new to the sink: with the entries within the bounds. */
  async begin(sink: SinkName, { entries, hours }: StreamBounds): Promise<void> {
    await ask(this.pool, STREAM.begin, { sink, entries, hours });
  }

  /** Skips the entries beyond the bounds, and counts them. */
  async skip(sink: SinkName, { entries, hours }: StreamBounds): Promise<SkippedEntries[]> {
    return (await ask<SkippedEntries>(this.pool, STREAM.skip, { sink, entries, hours })).rows;
  }

  /** The next entries for the sink, at most `most`: a range of each chain without a gap, in order. */
  async next(sink: SinkName, most: number): Promise<StreamedEntry[]> {
    return (await ask<StreamedEntry>(this.pool, STREAM.next, { sink, most })).rows;
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
    await ask(this.pool, STREAM.sent, {
      sink,
      tenants: [...ends.keys()],
      firsts: stretches.map(({ first }) => first),
      lasts: stretches.map(({ last }) => last),
      refused,
    });
  }

  /** How each of these sinks stands: the same from every replica. */
  async metrics(sinks: readonly SinkName[]): Promise<SinkMetrics[]> {
    return (await ask<SinkMetrics>(this.pool, STREAM.sinkMetrics, { sinks })).rows;
  }
}
