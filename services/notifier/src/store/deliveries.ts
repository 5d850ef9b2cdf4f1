import { randomUUID } from 'node:crypto';
import { MAILS_PER_RECIPIENT_AND_HOUR, SECONDS } from '@countersign/protocol';
import type { Digest, NotificationPreferences } from '@countersign/protocol';
import {
  CLOCK,
  NOW,
  acrossTenants,
  ask,
  askOne,
  jsonOf,
  keyed,
  statements,
} from '@countersign/database';
import type { Overdue, Pool, Principal } from '@countersign/database';
import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';
import type { Delivery, DeliveryError, Settlement } from '../deliveries/delivery.js';

/** Who sends a delivery: only the holder of its newest claim says how it went. */
export interface Claim {
  readonly id: string;
  /** With this one. */
  readonly attempts: number;
  /** Epoch milliseconds, of the database. */
  readonly now: number;
}

export type LoadedDelivery = Delivery & {
  readonly now: number;
  /** The secret that signs its webhooks; null for mail. */
  readonly secret: string | null;
};

interface DeliveryRow {
  now: number;
  id: string;
  kind: Delivery['kind'];
  state: Delivery['state'];
  attempts: number;
  created_at: number;
  next_at: number;
  request_id: string;
  recipient: string;
  event: string | null;
  summary: string | null;
  requester: string | null;
  retained: boolean | null;
  principal_kind: Principal['kind'] | null;
  enabled: boolean;
  config: Principal['config'];
  reviews: boolean;
  pending: boolean | null;
  preferences: NotificationPreferences | null;
  secret: string | null;
}

/** In the words of the index of those that wait. */
const WAITING = `d.state = 'pending' AND d.recipient <> ''`;
const LEASE = `make_interval(secs => ${SECONDS.deliveryLease})`;
/** A row that cannot even be read waits, so that it delays no other. */
const REST_SECONDS = 60;
const DUE = `tenant = $1 AND id = :id::uuid AND state = 'pending' AND next_at <= clock_timestamp()`;

export const DELIVERIES = statements('deliveries', {
  upcoming:
    acrossTenants(`SELECT d.tenant, d.request_id AS "requestId", d.kind || '.' || d.id AS kind, d.next_at AS due,
    ceil(extract(epoch FROM d.next_at - ${CLOCK}) * 1000)::float8 AS "inMs"
  FROM delivery d
  WHERE ${WAITING} AND d.next_at <= (SELECT clock_timestamp() + make_interval(secs => :ahead_ms::float8 / 1000))
    AND d.next_at >= coalesce(:after_due::timestamptz, '-infinity')
    AND (:after_due::timestamptz IS NULL OR (d.next_at, d.tenant, d.id) > (:after_due, :after_tenant::text, :after_id::uuid))
  ORDER BY d.next_at, d.tenant, d.id LIMIT :most`),
  overdue:
    acrossTenants(`SELECT count(*)::float8 AS count, coalesce(extract(epoch FROM ${CLOCK} - min(d.next_at)) * 1000, 0)::float8 AS "oldestMs"
  FROM delivery d WHERE ${WAITING} AND d.next_at <= ${CLOCK}`),
  rest: `UPDATE delivery SET next_at = clock_timestamp() + make_interval(secs => ${REST_SECONDS}) WHERE ${DUE}`,
  load: `SELECT ${NOW} AS now,
    d.id, d.kind, d.state, d.attempts, d.created_at, d.next_at, d.request_id, d.recipient, r.record AS event,
    q.summary, ${jsonOf('q.canonical')} #>> '{requester,subject}' AS requester,
    NOT l.material_deleted AND clock_timestamp() < l.private_delete_at AS retained,
    p.kind AS principal_kind, p.enabled, p.config, l.decision = 'pending' AS pending, m.preferences,
    EXISTS (SELECT 1 FROM route_reviewer v
      WHERE v.tenant = $1 AND v.reviewer = d.recipient AND v.route = q.route) AS reviews,
    CASE WHEN d.kind = 'webhook' THEN (SELECT s.secret FROM webhook_secret s
      WHERE s.tenant = $1 AND s.principal = d.recipient) END AS secret
  FROM (SELECT * FROM delivery x WHERE x.tenant = $1 AND x.id = :id::uuid LIMIT 1) d
  ${keyed('record', 'r', 'x.id = d.event_id')}
  ${keyed('request', 'q', 'x.id = d.request_id')}
  ${keyed('lifecycle', 'l', 'x.request_id = d.request_id')}
  ${keyed('principal', 'p', 'x.id = d.recipient')}
  ${keyed('mail_preference', 'm', `x.principal = d.recipient AND d.kind = 'smtp'`)}`,
  postpone: `UPDATE delivery SET next_at = :next_at WHERE ${DUE}`,
  claim: `UPDATE delivery SET attempts = attempts + 1, claim_id = :claim::uuid, fingerprint = :fingerprint,
    next_at = clock_timestamp() + ${LEASE}
  WHERE ${DUE} RETURNING attempts, ${NOW} AS now`,
  claimMail: `WITH d AS (
    SELECT recipient, clock_timestamp() AS now FROM delivery WHERE ${DUE} FOR UPDATE
  ), w AS (
    INSERT INTO mail_window AS w (tenant, recipient, hour, sent)
    SELECT $1, d.recipient, date_trunc('hour', d.now, 'UTC'), 1 FROM d
    ON CONFLICT (tenant, recipient, hour) DO UPDATE SET sent = w.sent + 1
      WHERE w.sent < ${MAILS_PER_RECIPIENT_AND_HOUR}
    RETURNING 1
  )
  UPDATE delivery SET attempts = attempts + w.taken::integer,
    claim_id = CASE WHEN w.taken THEN :claim::uuid END, fingerprint = CASE WHEN w.taken THEN :fingerprint END,
    next_at = CASE WHEN w.taken THEN d.now + ${LEASE}
      ELSE date_trunc('hour', d.now, 'UTC') + interval '1 hour' END
  FROM d, (SELECT EXISTS (SELECT 1 FROM w) AS taken) w
  WHERE delivery.tenant = $1 AND delivery.id = :id::uuid
  RETURNING w.taken, attempts, floor(extract(epoch FROM d.now) * 1000)::float8 AS now`,
  giveBackMail: `UPDATE mail_window SET sent = sent - 1
  WHERE tenant = $1 AND recipient = :recipient AND hour = date_trunc('hour', :claimed_at::timestamptz, 'UTC') AND sent > 0`,
  settle: `UPDATE delivery SET state = :state, error = :error, next_at = coalesce(:next_at, next_at), claim_id = NULL
  WHERE tenant = $1 AND id = :id::uuid AND claim_id = :claim::uuid AND state = 'pending' RETURNING id`,
  end: `UPDATE delivery SET state = :state, error = :error, claim_id = NULL WHERE ${DUE}`,
});

/** Deliveries that wait for their time, the truth behind the jobs of the target `worker-delivery`. */
export class DeliveryStore implements DeadlineSource {
  constructor(private readonly pool: Pool) {}

  async upcoming(aheadMs: number, after: DueItem | null, most: number): Promise<UpcomingItem[]> {
    const { rows } = await ask<UpcomingItem>(this.pool, DELIVERIES.upcoming, {
      ahead_ms: aheadMs,
      after_due: after && new Date(after.due),
      after_tenant: after && after.tenant,
      after_id: after && deliveryIdOf(after),
      most,
    });
    return rows;
  }

  async overdue(): Promise<Overdue> {
    return (await askOne<Overdue>(this.pool, DELIVERIES.overdue, {})) as Overdue;
  }

  /** Nothing was sent: it rests for a minute, and counts as no attempt. */
  async failed(item: DueItem): Promise<void> {
    await ask(this.pool, DELIVERIES.rest, { tenant: item.tenant, id: deliveryIdOf(item) });
  }

  async load(item: DueItem): Promise<LoadedDelivery | null> {
    const values = { tenant: item.tenant, id: deliveryIdOf(item) };
    const row = await askOne<DeliveryRow>(this.pool, DELIVERIES.load, values);
    return row === undefined ? null : deliveryOf(item.tenant, row);
  }

  /** Takes a webhook on for one attempt; null when another process has, or its time has not come. */
  async claim({ tenant, id }: Delivery, fingerprint: Digest): Promise<Claim | null> {
    const claim = randomUUID();
    const values = { tenant, id, claim, fingerprint };
    const taken = await askOne<Omit<Claim, 'id'>>(this.pool, DELIVERIES.claim, values);
    return taken === undefined ? null : { id: claim, ...taken };
  }

  /**
   * As {@link claim}, for mail: within its recipient's hourly limit. Once that is used up the mail waits for the next hour
   * (protocol §11.6), and the answer is null as well.
   */
  async claimMail({ tenant, id }: Delivery, fingerprint: Digest): Promise<Claim | null> {
    const claim = randomUUID();
    const values = { tenant, id, claim, fingerprint };
    const row = await askOne<Omit<Claim, 'id'> & { taken: boolean }>(
      this.pool,
      DELIVERIES.claimMail,
      values,
    );
    return row?.taken === true ? { id: claim, attempts: row.attempts, now: row.now } : null;
  }

  /** A mail that was certainly not accepted takes no place in its recipient's hour. */
  async giveBackMail({ tenant, recipient }: Delivery, { now }: Claim): Promise<void> {
    await ask(this.pool, DELIVERIES.giveBackMail, { tenant, recipient, claimed_at: new Date(now) });
  }

  /** How an attempt ended; of no effect once the claim is another's. */
  async settle({ tenant, id }: Delivery, claim: Claim, settlement: Settlement): Promise<boolean> {
    const { state, error, nextAt } = settlement;
    const values = {
      ...{ tenant, id, claim: claim.id, state, error },
      next_at: nextAt === null ? null : new Date(nextAt),
    };
    return (await askOne(this.pool, DELIVERIES.settle, values)) !== undefined;
  }

  async postpone({ tenant, id }: Delivery, until: number): Promise<void> {
    await ask(this.pool, DELIVERIES.postpone, { tenant, id, next_at: new Date(until) });
  }

  /** Ends a delivery that is due and will not be sent. */
  async end(
    { tenant, id }: Delivery,
    state: 'failed' | 'expired',
    error: DeliveryError | null,
  ): Promise<void> {
    await ask(this.pool, DELIVERIES.end, { tenant, id, state, error });
  }
}

/** A delivery's item says in its kind which one it is: a request has many. */
export function dueItemOf(delivery: {
  readonly tenant: string;
  readonly requestId: string;
  readonly kind: string;
  readonly id: string;
  readonly due: number;
}): DueItem {
  const { tenant, requestId, kind, id, due } = delivery;
  return { tenant, requestId, kind: `${kind}.${id}`, due };
}

function deliveryIdOf({ kind }: DueItem): string {
  return kind.slice(kind.indexOf('.') + 1);
}

function deliveryOf(tenant: string, row: DeliveryRow): LoadedDelivery {
  const { principal_kind: kind, enabled, config } = row;
  return {
    now: row.now,
    secret: row.secret,
    id: row.id,
    kind: row.kind,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAt: row.next_at,
    tenant,
    requestId: row.request_id,
    recipient: row.recipient,
    event: row.event === null ? null : (JSON.parse(row.event) as Delivery['event']),
    summary: row.summary ?? '',
    requester: row.requester ?? '',
    retained: row.retained === true,
    principal: kind === null ? null : { kind, enabled, config },
    reviews: row.reviews,
    pending: row.pending === true,
    preferences: row.preferences,
  };
}
