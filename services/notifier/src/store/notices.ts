import { randomUUID } from 'node:crypto';
import { SECONDS } from '@countersign/protocol';
import { CLOCK, NOW, acrossTenants, ask, askOne, keyed, statements } from '@countersign/database';
import type { Overdue, Pool } from '@countersign/database';
import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';
import type { ChatChannel } from '../chat/channel.js';
import type { ChatNews, WaitingKind } from '../chat/message.js';
import { NOTICE_PAUSE } from './feed.js';

/** A channel's row. Times are epoch milliseconds, of the database. */
export interface LoadedNotice {
  readonly now: number;
  readonly tenant: string;
  readonly channel: string;
  readonly news: number;
  readonly since: number;
  /** Null when there is nothing to tell. */
  readonly nextAt: number | null;
}

export interface NoticeClaim {
  readonly id: string;
  readonly attempts: number;
  /** What the notice tells; more may come meanwhile. */
  readonly news: number;
}

type NoticeRow = Pick<LoadedNotice, 'now' | 'channel' | 'news' | 'since' | 'nextAt'>;

/** Reviews that are counted for one notice. */
const MOST = 1000;
const LEASE = `make_interval(secs => ${SECONDS.deliveryLease})`;
const DUE = 'tenant = $1 AND channel = :channel AND next_at <= clock_timestamp()';

export const NOTICES = statements('notices', {
  upcoming:
    acrossTenants(`SELECT n.tenant, '' AS "requestId", 'chat.' || n.channel AS kind, n.next_at AS due,
    ceil(extract(epoch FROM n.next_at - ${CLOCK}) * 1000)::float8 AS "inMs"
  FROM chat_notice n
  WHERE n.next_at <= (SELECT clock_timestamp() + make_interval(secs => :ahead_ms::float8 / 1000))
    AND (:after_due::timestamptz IS NULL OR (n.next_at, n.tenant, n.channel) > (:after_due, :after_tenant::text, :after_channel::text))
  ORDER BY n.next_at, n.tenant, n.channel LIMIT :most`),
  overdue:
    acrossTenants(`SELECT count(*)::float8 AS count, coalesce(extract(epoch FROM ${CLOCK} - min(n.next_at)) * 1000, 0)::float8 AS "oldestMs"
  FROM chat_notice n WHERE n.next_at <= ${CLOCK}`),
  oldestUntold:
    acrossTenants(`SELECT coalesce(extract(epoch FROM ${CLOCK} - min(n.since)), 0)::float8 AS seconds
  FROM chat_notice n WHERE n.news > 0`),
  rest: `UPDATE chat_notice SET next_at = clock_timestamp() + ${NOTICE_PAUSE} WHERE ${DUE}`,
  load: `SELECT ${NOW} AS now, n.channel, n.news, n.since, n.next_at AS "nextAt"
  FROM tenant t ${keyed('chat_notice', 'n', 'x.channel = :channel')} WHERE t.tenant = $1 AND n.channel IS NOT NULL`,
  claim: `UPDATE chat_notice SET attempts = attempts + 1, claim_id = :claim::uuid, next_at = clock_timestamp() + ${LEASE}
  WHERE ${DUE} RETURNING attempts, news`,
  told: `UPDATE chat_notice SET news = news - :news, attempts = 0, claim_id = NULL, sent_at = clock_timestamp(),
    since = clock_timestamp(), next_at = CASE WHEN news > :news THEN clock_timestamp() + ${NOTICE_PAUSE} END
  WHERE tenant = $1 AND channel = :channel AND claim_id = :claim::uuid`,
  retry: `UPDATE chat_notice SET claim_id = NULL, next_at = clock_timestamp() + make_interval(secs => :pause_ms::float8 / 1000)
  WHERE tenant = $1 AND channel = :channel AND claim_id = :claim::uuid`,
  drop: `UPDATE chat_notice SET news = 0, attempts = 0, claim_id = NULL, next_at = NULL WHERE ${DUE}`,
  waiting: `WITH open AS MATERIALIZED (
    SELECT l.request_id, l.route, l.review_deadline
    FROM (SELECT r.id FROM route r WHERE r.tenant = $1 AND (:every::boolean OR r.id = ANY (:routes::text[]))) v
    CROSS JOIN LATERAL (
      SELECT x.request_id, x.route, x.review_deadline FROM lifecycle x
      WHERE x.tenant = $1 AND x.route = v.id AND starts_with(x.decision, 'pending') AND x.review_deadline > ${CLOCK}
      ORDER BY x.review_deadline, x.request_id LIMIT ${MOST + 1}
    ) l ORDER BY l.review_deadline, l.request_id LIMIT ${MOST + 1}
  )
  SELECT o.route, q.purpose, count(*)::float8 AS many, min(o.review_deadline) AS next
  FROM open o ${keyed('request', 'q', 'x.id = o.request_id')}
  GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
});

/** What channels of Slack and Teams have yet to be told. */
export class NoticeStore implements DeadlineSource {
  constructor(private readonly pool: Pool) {}

  async upcoming(aheadMs: number, after: DueItem | null, most: number): Promise<UpcomingItem[]> {
    const { rows } = await ask<UpcomingItem>(this.pool, NOTICES.upcoming, {
      ahead_ms: aheadMs,
      after_due: after && new Date(after.due),
      after_tenant: after && after.tenant,
      after_channel: after && channelOf(after),
      most,
    });
    return rows;
  }

  async overdue(): Promise<Overdue> {
    return (await askOne<Overdue>(this.pool, NOTICES.overdue, {})) as Overdue;
  }

  /** The seconds that the first news which no channel was told have waited; 0 without any. */
  async oldestUntold(): Promise<number> {
    return (await askOne<{ seconds: number }>(this.pool, NOTICES.oldestUntold, {}))?.seconds ?? 0;
  }

  async failed(item: DueItem): Promise<void> {
    await ask(this.pool, NOTICES.rest, { tenant: item.tenant, channel: channelOf(item) });
  }

  async load(item: DueItem): Promise<LoadedNotice | null> {
    const { tenant } = item;
    const values = { tenant, channel: channelOf(item) };
    const row = await askOne<NoticeRow>(this.pool, NOTICES.load, values);
    return row === undefined ? null : { tenant, ...row };
  }

  /** Null when another process has it, or its time has not come. */
  async claim({ tenant, channel }: LoadedNotice): Promise<NoticeClaim | null> {
    const id = randomUUID();
    const taken = await askOne<Omit<NoticeClaim, 'id'>>(this.pool, NOTICES.claim, {
      ...{ tenant, channel, claim: id },
    });
    return taken === undefined ? null : { id, ...taken };
  }

  /** What has come since the claim is told later. */
  async told({ tenant, channel }: LoadedNotice, { id, news }: NoticeClaim): Promise<void> {
    await ask(this.pool, NOTICES.told, { tenant, channel, claim: id, news });
  }

  async retry(
    { tenant, channel }: LoadedNotice,
    { id }: NoticeClaim,
    pauseMs: number,
  ): Promise<void> {
    await ask(this.pool, NOTICES.retry, { tenant, channel, claim: id, pause_ms: pauseMs });
  }

  /** Nothing of it is told. */
  async drop({ tenant, channel }: LoadedNotice): Promise<void> {
    await ask(this.pool, NOTICES.drop, { tenant, channel });
  }

  /** What waits on the channel's routes; null when nothing does. */
  async waiting({ tenant, routes }: ChatChannel): Promise<Omit<ChatNews, 'news'> | null> {
    const { rows } = await ask<WaitingKind & { next: number }>(this.pool, NOTICES.waiting, {
      tenant,
      every: routes === null,
      routes: routes ?? [],
    });
    if (rows.length === 0) return null;
    const all = rows.reduce((sum, { many }) => sum + many, 0);
    return {
      waiting: rows.map(({ route, purpose, many }) => ({ route, purpose, many })),
      more: all > MOST,
      nextDeadline: new Date(Math.min(...rows.map(({ next }) => next))).toISOString(),
    };
  }
}

function channelOf({ kind }: DueItem): string {
  return kind.slice(kind.indexOf('.') + 1);
}
