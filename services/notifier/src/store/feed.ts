import {
  NOW,
  acrossTenants,
  ask,
  askOne,
  isHiddenRequest,
  jsonOf,
  statements,
  votesOf,
} from '@countersign/database';
import type { Pool } from '@countersign/database';
import type { ExtendedDecisionRequest, MailChoice } from '@countersign/protocol';

/** An entry of a tenant's chain; `record` only where it is an event whose text is still there. */
export interface ChainEntry {
  readonly sequence: number;
  readonly type: string;
  readonly requestId: string | null;
  readonly recordId: string;
  readonly record: string | null;
}

export interface Batch {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly directoryRevision: number;
  /** How far the chain was read before. */
  readonly after: number;
  /** In the order of the chain. */
  readonly entries: readonly ChainEntry[];
}

/** Whom a request concerns. */
export interface Concerned {
  readonly route: string;
  readonly requester: string;
  /** Kind of the caller that had its private material deleted, null if there is none. */
  readonly discardedBy: string | null;
  /** Of a request that several people decide, else null; `votes` is JSON of its votes. */
  readonly approval: ExtendedDecisionRequest['approval'] | null;
  readonly votes: string | null;
}

export interface NewDelivery {
  readonly id: string;
  readonly requestId: string;
  readonly kind: 'smtp' | 'webhook';
  readonly eventId: string;
  readonly recipient: string;
}

/** Between two notices to one channel. */
export const NOTICE_PAUSE = `interval '1 minute'`;

type BatchRow = ChainEntry & { now: number; directory_revision: number; after: number };

export const FEED = statements('notifier', {
  behind:
    acrossTenants(`SELECT h.tenant FROM ledger_head h LEFT JOIN delivery_cursor c ON c.tenant = h.tenant
  WHERE h.sequence > coalesce(c.sequence, 0)`),
  mostBehind:
    acrossTenants(`SELECT coalesce(max(h.sequence - coalesce(c.sequence, 0)), 0)::float8 AS entries
  FROM ledger_head h LEFT JOIN delivery_cursor c ON c.tenant = h.tenant`),
  passOver: `WITH l AS (
    SELECT EXISTS (SELECT 1 FROM principal p WHERE p.tenant = $1 AND p.config ? 'webhook') AS listening
  ), c AS (
    INSERT INTO delivery_cursor AS c (tenant, sequence)
    SELECT h.tenant, h.sequence FROM ledger_head h CROSS JOIN l WHERE h.tenant = $1 AND NOT l.listening
    ON CONFLICT (tenant) DO UPDATE SET sequence = EXCLUDED.sequence WHERE c.sequence < EXCLUDED.sequence
  ) SELECT listening FROM l`,
  batch: `SELECT ${NOW} AS now, t.directory_revision, c.after,
    e.sequence, e.type, e.request_id AS "requestId", e.record_id AS "recordId",
    CASE WHEN e.type = 'RequestChangedEvent'
      THEN (SELECT x.record FROM record x WHERE x.tenant = $1 AND x.id = e.record_id) END AS record
  FROM tenant t
  CROSS JOIN LATERAL (
    SELECT coalesce((SELECT x.sequence FROM delivery_cursor x WHERE x.tenant = $1), 0) AS after OFFSET 0
  ) c
  CROSS JOIN LATERAL (
    SELECT x.sequence, x.type, x.request_id, x.record_id FROM ledger_entry x
    WHERE x.tenant = $1 AND x.sequence > c.after ORDER BY x.sequence LIMIT :most
  ) e
  WHERE t.tenant = $1 ORDER BY e.sequence`,
  operators: `SELECT p.id FROM principal p
  WHERE p.tenant = $1 AND p.kind = 'human' AND p.config -> 'operator' = 'true'::jsonb ORDER BY p.id`,
  choices: `SELECT m.principal, m.preferences ->> 'mails' AS mails FROM mail_preference m
  WHERE m.tenant = $1 AND m.preferences ->> 'mails' <> 'at_once'`,
  concerned: `SELECT q.id, q.route, ${jsonOf('q.canonical')} #>> '{requester,subject}' AS requester,
    ${jsonOf('q.canonical')} -> 'approval' AS approval, ${votesOf('q.id')} AS votes,
    (SELECT ${jsonOf('x.record')} #>> '{payload,recorded_by,kind}' FROM record x
      WHERE x.tenant = $1 AND x.request_id = q.id AND x.type = 'MaterialDiscarded' ORDER BY x.id LIMIT 1)
      AS "discardedBy"
  FROM unnest(:request_ids::uuid[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT x.id, x.route, x.canonical FROM request x WHERE x.tenant = $1 AND x.id = wanted.id LIMIT 1
  ) q WHERE NOT ${isHiddenRequest('q.id')}`,
  follow: `WITH c AS (
    INSERT INTO delivery_cursor AS c (tenant, sequence) VALUES ($1, :up_to)
    ON CONFLICT (tenant) DO UPDATE SET sequence = EXCLUDED.sequence WHERE c.sequence = :after
    RETURNING date_trunc('milliseconds', clock_timestamp()) AS due
  ), d AS (
    INSERT INTO delivery (tenant, id, request_id, kind, state, created_at, next_at, event_id, recipient)
    SELECT $1, x.id, x.request_id, x.kind, 'pending', c.due, c.due, x.event_id, x.recipient
    FROM c, unnest(:ids::uuid[], :request_ids::uuid[], :kinds::text[], :event_ids::uuid[], :recipients::text[])
      AS x (id, request_id, kind, event_id, recipient)
  ), n AS (
    INSERT INTO chat_notice AS n (tenant, channel, news, since, next_at)
    SELECT $1, x.channel, x.news, c.due, c.due FROM c, unnest(:channels::text[], :news::integer[]) AS x (channel, news)
    ON CONFLICT (tenant, channel) DO UPDATE SET news = n.news + EXCLUDED.news,
      since = CASE WHEN n.news = 0 THEN EXCLUDED.since ELSE n.since END,
      next_at = coalesce(n.next_at, greatest(EXCLUDED.next_at, n.sent_at + ${NOTICE_PAUSE}))
  ) SELECT due FROM c`,
});

/** The chain as the notifier reads it: behind a cursor, each entry once. */
export class FeedStore {
  constructor(private readonly pool: Pool) {}

  /** Tenants whose chain is longer than the part that was read. */
  async tenantsBehind(): Promise<string[]> {
    const { rows } = await ask<{ tenant: string }>(this.pool, FEED.behind, {});
    return rows.map(({ tenant }) => tenant);
  }

  /** The number of entries without deliveries yet, of the tenant that is furthest behind. */
  async mostBehind(): Promise<number> {
    return (await askOne<{ entries: number }>(this.pool, FEED.mostBehind, {}))?.entries ?? 0;
  }

  /** Moves the cursor to the chain's end, if no principal of the tenant has a webhook; false otherwise. */
  async passOver(tenant: string): Promise<boolean> {
    const found = await askOne<{ listening: boolean }>(this.pool, FEED.passOver, { tenant });
    return found?.listening === false;
  }

  /** The entries after the cursor, at most `most`; null when there are none. */
  async batch(tenant: string, most: number): Promise<Batch | null> {
    const { rows } = await ask<BatchRow>(this.pool, FEED.batch, { tenant, most });
    const [first] = rows;
    if (first === undefined) return null;
    const { now, directory_revision: directoryRevision, after } = first;
    return { now, directoryRevision, after, entries: rows };
  }

  /** Ids of the humans who are operators (R2). */
  async operators(tenant: string): Promise<string[]> {
    const { rows } = await ask<{ id: string }>(this.pool, FEED.operators, { tenant });
    return rows.map(({ id }) => id);
  }

  /** By principal: the choices of people who do not want each mail at once. */
  async choices(tenant: string): Promise<Map<string, MailChoice>> {
    const { rows } = await ask<{ principal: string; mails: MailChoice }>(this.pool, FEED.choices, {
      tenant,
    });
    return new Map(rows.map(({ principal, mails }) => [principal, mails]));
  }

  /** By request id; requests that are deleted or hidden are left out. */
  async concerned(tenant: string, requestIds: readonly string[]): Promise<Map<string, Concerned>> {
    const { rows } = await ask<Concerned & { id: string }>(this.pool, FEED.concerned, {
      tenant,
      request_ids: requestIds,
    });
    return new Map(rows.map(({ id, ...rest }) => [id, rest]));
  }

  /**
   * Moves the cursor from one place to another with the deliveries that the entries between give, and with how many new
   * reviews each channel is told of, in one statement. Null when another process was faster, else when the deliveries are due.
   */
  async follow(
    tenant: string,
    after: number,
    upTo: number,
    deliveries: readonly NewDelivery[],
    news: ReadonlyMap<string, number>,
  ): Promise<number | null> {
    const moved = await askOne<{ due: number }>(this.pool, FEED.follow, {
      tenant,
      after,
      up_to: upTo,
      ids: deliveries.map(({ id }) => id),
      request_ids: deliveries.map(({ requestId }) => requestId),
      kinds: deliveries.map(({ kind }) => kind),
      event_ids: deliveries.map(({ eventId }) => eventId),
      recipients: deliveries.map(({ recipient }) => recipient),
      channels: [...news.keys()],
      news: [...news.values()],
    });
    return moved?.due ?? null;
  }
}
