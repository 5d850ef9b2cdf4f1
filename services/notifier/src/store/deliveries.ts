import { randomUUID } from 'node:crypto';
import { MAILS_PER_RECIPIENT_AND_HOUR, SECONDS } from '@countersign/protocol';
import type { Digest } from '@countersign/protocol';
import { jsonOf, keyed } from '@countersign/database';
import type { Pool, Principal } from '@countersign/database';
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
  secret: string | null;
}

/** Asked once a statement: to a clock that may tell each row another time Postgres cannot walk an index. */
const NOW = '(SELECT clock_timestamp())';
/** In the words of the index of those that wait. */
const WAITING = `d.state = 'pending' AND d.recipient <> ''`;
const LEASE = `make_interval(secs => ${SECONDS.deliveryLease})`;
/** A row that cannot even be read waits, so that it delays no other. */
const REST_SECONDS = 60;

/** Deliveries that wait for their time, the truth behind the jobs of the target `worker-delivery`. */
export class DeliveryStore implements DeadlineSource {
  constructor(private readonly pool: Pool) {}

  async upcoming(aheadMs: number, after: DueItem | null, most: number): Promise<UpcomingItem[]> {
    const { rows } = await this.pool.acrossTenants.query<UpcomingItem>({
      name: 'deliveries.upcoming',
      text: `SELECT d.tenant, d.request_id AS "requestId", d.kind || '.' || d.id AS kind, d.next_at AS due,
          ceil(extract(epoch FROM d.next_at - ${NOW}) * 1000)::float8 AS "inMs"
        FROM delivery d
        WHERE ${WAITING} AND d.next_at <= (SELECT clock_timestamp() + make_interval(secs => $1::float8 / 1000))
          AND d.next_at >= coalesce($2::timestamptz, '-infinity')
          AND ($2::timestamptz IS NULL OR (d.next_at, d.tenant, d.id) > ($2, $3::text, $4::uuid))
        ORDER BY d.next_at, d.tenant, d.id LIMIT $5`,
      values: [
        aheadMs,
        after === null ? null : new Date(after.due),
        after?.tenant ?? null,
        after === null ? null : deliveryIdOf(after),
        most,
      ],
    });
    return rows;
  }

  async overdue(): Promise<{ count: number; oldestMs: number }> {
    const { rows } = await this.pool.acrossTenants.query<{ count: number; oldestMs: number }>({
      name: 'deliveries.overdue',
      text: `SELECT count(*)::float8 AS count,
          coalesce(extract(epoch FROM ${NOW} - min(d.next_at)) * 1000, 0)::float8 AS "oldestMs"
        FROM delivery d WHERE ${WAITING} AND d.next_at <= ${NOW}`,
    });
    return rows[0] as { count: number; oldestMs: number };
  }

  /** Nothing was sent: it rests for a minute, and counts as no attempt. */
  async failed(item: DueItem): Promise<void> {
    await this.pool.of(item.tenant).query({
      name: 'deliveries.rest',
      text: `UPDATE delivery SET next_at = clock_timestamp() + make_interval(secs => ${REST_SECONDS})
        WHERE tenant = $1 AND id = $2::uuid AND state = 'pending' AND next_at <= clock_timestamp()`,
      values: [item.tenant, deliveryIdOf(item)],
    });
  }

  async load(item: DueItem): Promise<LoadedDelivery | null> {
    const { rows } = await this.pool.of(item.tenant).query<DeliveryRow>({
      name: 'deliveries.load',
      text: `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
          d.id, d.kind, d.state, d.attempts, d.created_at, d.next_at, d.request_id, d.recipient, r.record AS event,
          q.summary, ${jsonOf('q.canonical')} #>> '{requester,subject}' AS requester,
          NOT l.material_deleted AND clock_timestamp() < l.private_delete_at AS retained,
          p.kind AS principal_kind, p.enabled, p.config,
          EXISTS (SELECT 1 FROM route_reviewer v
            WHERE v.tenant = $1 AND v.reviewer = d.recipient AND v.route = q.route) AS reviews,
          CASE WHEN d.kind = 'webhook' THEN (SELECT s.secret FROM webhook_secret s
            WHERE s.tenant = $1 AND s.principal = d.recipient) END AS secret
        FROM (SELECT * FROM delivery x WHERE x.tenant = $1 AND x.id = $2::uuid LIMIT 1) d
        ${keyed('record', 'r', 'x.id = d.event_id')}
        ${keyed('request', 'q', 'x.id = d.request_id')}
        ${keyed('lifecycle', 'l', 'x.request_id = d.request_id')}
        ${keyed('principal', 'p', 'x.id = d.recipient')}`,
      values: [item.tenant, deliveryIdOf(item)],
    });
    const row = rows[0];
    return row === undefined ? null : deliveryOf(item.tenant, row);
  }

  /** Takes a webhook on for one attempt; null when another process has, or its time has not come. */
  async claim(delivery: Delivery, fingerprint: Digest): Promise<Claim | null> {
    const id = randomUUID();
    const { rows } = await this.pool.of(delivery.tenant).query<Omit<Claim, 'id'>>({
      name: 'deliveries.claim',
      text: `UPDATE delivery SET attempts = attempts + 1, claim_id = $3::uuid, fingerprint = $4,
          next_at = clock_timestamp() + ${LEASE}
        WHERE tenant = $1 AND id = $2::uuid AND state = 'pending' AND next_at <= clock_timestamp()
        RETURNING attempts, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
      values: [delivery.tenant, delivery.id, id, fingerprint],
    });
    return rows[0] === undefined ? null : { id, ...rows[0] };
  }

  /**
   * As {@link claim}, for mail: within its recipient's hourly limit. Once that is used up the mail waits for the next hour
   * (protocol §11.6), and the answer is null as well.
   */
  async claimMail(delivery: Delivery, fingerprint: Digest): Promise<Claim | null> {
    const id = randomUUID();
    const { rows } = await this.pool
      .of(delivery.tenant)
      .query<Omit<Claim, 'id'> & { taken: boolean }>({
        name: 'deliveries.claim-mail',
        text: `WITH d AS (
          SELECT recipient, clock_timestamp() AS now FROM delivery
          WHERE tenant = $1 AND id = $2::uuid AND state = 'pending' AND next_at <= clock_timestamp() FOR UPDATE
        ), w AS (
          INSERT INTO mail_window AS w (tenant, recipient, hour, sent)
          SELECT $1, d.recipient, date_trunc('hour', d.now, 'UTC'), 1 FROM d
          ON CONFLICT (tenant, recipient, hour) DO UPDATE SET sent = w.sent + 1
            WHERE w.sent < ${MAILS_PER_RECIPIENT_AND_HOUR}
          RETURNING 1
        )
        UPDATE delivery SET attempts = attempts + w.taken::integer,
          claim_id = CASE WHEN w.taken THEN $3::uuid END, fingerprint = CASE WHEN w.taken THEN $4 END,
          next_at = CASE WHEN w.taken THEN d.now + ${LEASE}
            ELSE date_trunc('hour', d.now, 'UTC') + interval '1 hour' END
        FROM d, (SELECT EXISTS (SELECT 1 FROM w) AS taken) w
        WHERE delivery.tenant = $1 AND delivery.id = $2::uuid
        RETURNING w.taken, attempts, floor(extract(epoch FROM d.now) * 1000)::float8 AS now`,
        values: [delivery.tenant, delivery.id, id, fingerprint],
      });
    const [row] = rows;
    return row?.taken === true ? { id, attempts: row.attempts, now: row.now } : null;
  }

  /** A mail that was certainly not accepted takes no place in its recipient's hour. */
  async giveBackMail(delivery: Delivery, claim: Claim): Promise<void> {
    await this.pool.of(delivery.tenant).query({
      name: 'deliveries.give-back-mail',
      text: `UPDATE mail_window SET sent = sent - 1
        WHERE tenant = $1 AND recipient = $2 AND hour = date_trunc('hour', $3::timestamptz, 'UTC') AND sent > 0`,
      values: [delivery.tenant, delivery.recipient, new Date(claim.now)],
    });
  }

  /** How an attempt ended; of no effect once the claim is another's. */
  async settle(delivery: Delivery, claim: Claim, settlement: Settlement): Promise<boolean> {
    const { rowCount } = await this.pool.of(delivery.tenant).query({
      name: 'deliveries.settle',
      text: `UPDATE delivery SET state = $4, error = $5, next_at = coalesce($6, next_at), claim_id = NULL
        WHERE tenant = $1 AND id = $2::uuid AND claim_id = $3::uuid AND state = 'pending'`,
      values: [
        delivery.tenant,
        delivery.id,
        claim.id,
        settlement.state,
        settlement.error,
        settlement.nextAt === null ? null : new Date(settlement.nextAt),
      ],
    });
    return rowCount === 1;
  }

  /** Ends a delivery that is due and will not be sent. */
  async end(
    delivery: Delivery,
    state: 'failed' | 'expired',
    error: DeliveryError | null,
  ): Promise<void> {
    await this.pool.of(delivery.tenant).query({
      name: 'deliveries.end',
      text: `UPDATE delivery SET state = $3, error = $4, claim_id = NULL
        WHERE tenant = $1 AND id = $2::uuid AND state = 'pending' AND next_at <= clock_timestamp()`,
      values: [delivery.tenant, delivery.id, state, error],
    });
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
  };
}
