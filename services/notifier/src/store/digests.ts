import { randomUUID } from 'node:crypto';
import { MAILS_PER_RECIPIENT_AND_HOUR } from '@countersign/protocol';
import type { NotificationPreferences } from '@countersign/protocol';
import {
  CLOCK,
  MAY_REVIEW,
  NOW,
  acrossTenants,
  ask,
  askOne,
  keyed,
  pendingReviews,
  statements,
} from '@countersign/database';
import type { Overdue, Pool, Principal } from '@countersign/database';
import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';
import type { Waiting, WaitingItem } from '../mail/digest.js';

/** A person's choice, as a digest needs it. Times are epoch milliseconds, of the database. */
export interface LoadedDigest {
  readonly now: number;
  readonly tenant: string;
  readonly recipient: string;
  /** Null without digests. */
  readonly nextAt: number | null;
  /** Whether that is a time of a digest, and not only the time of the choice. */
  readonly planned: boolean;
  readonly preferences: NotificationPreferences;
  readonly principal: Pick<Principal, 'kind' | 'enabled' | 'config'>;
}

export interface DigestClaim {
  readonly id: string;
  readonly attempts: number;
  readonly now: number;
}

interface DigestRow extends Omit<LoadedDigest, 'tenant' | 'principal'> {
  readonly kind: Principal['kind'];
  readonly enabled: boolean;
  readonly config: Principal['config'];
}

/** Reviews that are counted for one digest, and those that it lists. */
const MOST = 1000;
const LISTED = 50;
const OWN = 'tenant = $1 AND principal = :principal';
const SEEN = `${OWN} AND next_at = :seen AND next_at <= clock_timestamp()`;
const CLAIMED = `${OWN} AND claim_id = :claim::uuid`;

export const DIGESTS = statements('digests', {
  upcoming:
    acrossTenants(`SELECT m.tenant, '' AS "requestId", 'digest.' || m.principal AS kind, m.next_at AS due,
    ceil(extract(epoch FROM m.next_at - ${CLOCK}) * 1000)::float8 AS "inMs"
  FROM mail_preference m
  WHERE m.next_at <= (SELECT clock_timestamp() + make_interval(secs => :ahead_ms::float8 / 1000))
    AND (:after_due::timestamptz IS NULL OR (m.next_at, m.tenant, m.principal) > (:after_due, :after_tenant::text, :after_principal::text))
  ORDER BY m.next_at, m.tenant, m.principal LIMIT :most`),
  overdue:
    acrossTenants(`SELECT count(*)::float8 AS count, coalesce(extract(epoch FROM ${CLOCK} - min(m.next_at)) * 1000, 0)::float8 AS "oldestMs"
  FROM mail_preference m WHERE m.next_at <= ${CLOCK}`),
  rest: `UPDATE mail_preference SET next_at = clock_timestamp() + interval '1 minute'
  WHERE ${OWN} AND next_at <= clock_timestamp()`,
  load: `SELECT ${NOW} AS now, m.principal AS recipient, m.next_at AS "nextAt", m.planned, m.preferences, p.kind, p.enabled, p.config
  FROM (SELECT * FROM mail_preference x WHERE x.tenant = $1 AND x.principal = :principal LIMIT 1) m
  ${keyed('principal', 'p', 'x.id = m.principal')}`,
  plan: `UPDATE mail_preference SET next_at = :next_at, planned = true, attempts = 0, claim_id = NULL WHERE ${SEEN}`,
  claim: `WITH d AS (
    SELECT principal, clock_timestamp() AS now FROM mail_preference WHERE ${SEEN} FOR UPDATE
  ), w AS (
    INSERT INTO mail_window AS w (tenant, recipient, hour, sent)
    SELECT $1, d.principal, date_trunc('hour', d.now, 'UTC'), 1 FROM d
    ON CONFLICT (tenant, recipient, hour) DO UPDATE SET sent = w.sent + 1
      WHERE w.sent < ${MAILS_PER_RECIPIENT_AND_HOUR}
    RETURNING 1
  )
  UPDATE mail_preference SET attempts = attempts + w.taken::integer, claim_id = CASE WHEN w.taken THEN :claim::uuid END,
    next_at = CASE WHEN w.taken THEN :next_at ELSE date_trunc('hour', d.now, 'UTC') + interval '1 hour' END
  FROM d, (SELECT EXISTS (SELECT 1 FROM w) AS taken) w
  WHERE mail_preference.tenant = $1 AND mail_preference.principal = :principal
  RETURNING w.taken, attempts, floor(extract(epoch FROM d.now) * 1000)::float8 AS now`,
  giveBack: `UPDATE mail_window SET sent = sent - 1
  WHERE tenant = $1 AND recipient = :principal AND hour = date_trunc('hour', :claimed_at::timestamptz, 'UTC') AND sent > 0`,
  sent: `UPDATE mail_preference SET attempts = 0, claim_id = NULL WHERE ${CLAIMED}`,
  retry: `UPDATE mail_preference SET claim_id = NULL, next_at = least(next_at, :next_at::timestamptz) WHERE ${CLAIMED}`,
  waiting: `WITH ${pendingReviews('l.request_id, l.owner, l.review_deadline', MOST + 1)},
  open AS MATERIALIZED (
    SELECT e.request_id, e.review_deadline FROM every e ${keyed('principal', 'p', 'x.id = e.owner')}
    WHERE ${MAY_REVIEW}
  )
  SELECT (SELECT count(*) FROM every)::float8 AS looked_at, (SELECT count(*) FROM open)::float8 AS many,
    (SELECT coalesce(json_agg(json_build_object('id', i.request_id, 'summary', q.summary,
        'deadline', i.review_deadline) ORDER BY i.review_deadline, i.request_id), '[]')
      FROM (SELECT * FROM open ORDER BY review_deadline, request_id LIMIT ${LISTED}) i ${keyed('request', 'q', 'x.id = i.request_id')}) AS items`,
});

/** Digests by the time at which they are due. */
export class DigestStore implements DeadlineSource {
  constructor(private readonly pool: Pool) {}

  async upcoming(aheadMs: number, after: DueItem | null, most: number): Promise<UpcomingItem[]> {
    const { rows } = await ask<UpcomingItem>(this.pool, DIGESTS.upcoming, {
      ahead_ms: aheadMs,
      after_due: after && new Date(after.due),
      after_tenant: after && after.tenant,
      after_principal: after && recipientOf(after),
      most,
    });
    return rows;
  }

  async overdue(): Promise<Overdue> {
    return (await askOne<Overdue>(this.pool, DIGESTS.overdue, {})) as Overdue;
  }

  async failed(item: DueItem): Promise<void> {
    await ask(this.pool, DIGESTS.rest, { tenant: item.tenant, principal: recipientOf(item) });
  }

  async load(item: DueItem): Promise<LoadedDigest | null> {
    const { tenant } = item;
    const values = { tenant, principal: recipientOf(item) };
    const row = await askOne<DigestRow>(this.pool, DIGESTS.load, values);
    if (row === undefined) return null;
    const { kind, enabled, config, ...rest } = row;
    return { tenant, ...rest, principal: { kind, enabled, config } };
  }

  /** Nothing is sent before that time. Of no effect once another process, or a new choice, was faster. */
  async plan(digest: LoadedDigest, nextAt: number): Promise<void> {
    await ask(this.pool, DIGESTS.plan, { ...seen(digest), next_at: new Date(nextAt) });
  }

  /**
   * Takes the digest that is due on for its only attempt whose end may stay unknown: the next one is at `nextAt`. Null when
   * another process has it, or when the person has had the mails of this hour (protocol §11.6).
   */
  async claim(digest: LoadedDigest, nextAt: number): Promise<DigestClaim | null> {
    const claim = randomUUID();
    const row = await askOne<Omit<DigestClaim, 'id'> & { taken: boolean }>(
      this.pool,
      DIGESTS.claim,
      { ...seen(digest), claim, next_at: new Date(nextAt) },
    );
    return row?.taken === true ? { id: claim, attempts: row.attempts, now: row.now } : null;
  }

  async sent({ tenant, recipient }: LoadedDigest, { id }: DigestClaim): Promise<void> {
    await ask(this.pool, DIGESTS.sent, { tenant, principal: recipient, claim: id });
  }

  /** It was certainly not accepted, so it is tried again, unless the next one comes before. */
  async retry(
    { tenant, recipient }: LoadedDigest,
    { id, now }: DigestClaim,
    nextAt: number,
  ): Promise<void> {
    const own = { tenant, principal: recipient };
    await ask(this.pool, DIGESTS.giveBack, { ...own, claimed_at: new Date(now) });
    await ask(this.pool, DIGESTS.retry, { ...own, claim: id, next_at: new Date(nextAt) });
  }

  async waiting({ tenant, recipient }: LoadedDigest): Promise<Waiting> {
    const row = await askOne<{ looked_at: number; many: number; items: WaitingItem[] }>(
      this.pool,
      DIGESTS.waiting,
      { tenant, reviewer: recipient },
    );
    const { looked_at: lookedAt = 0, many = 0, items = [] } = row ?? {};
    return { many, more: lookedAt > MOST, items };
  }
}

function seen({ tenant, recipient, nextAt }: LoadedDigest) {
  return { tenant, principal: recipient, seen: nextAt === null ? null : new Date(nextAt) };
}

function recipientOf({ kind }: DueItem): string {
  return kind.slice(kind.indexOf('.') + 1);
}
