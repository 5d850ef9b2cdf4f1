import {
  CLOCK,
  REQUEST_COLUMNS,
  REQUEST_INTEGRITY,
  REQUEST_JOINS,
  acrossTenants,
  ask,
  askOne,
  loadRequest,
  statements,
  workerValues,
} from '@countersign/database';
import type { Overdue, Pool, RequestRow } from '@countersign/database';
import { SECONDS } from '@countersign/protocol';
import type { Lifecycle } from '@countersign/protocol';
import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';

/** When a pending review is reminded of by itself: so long before its deadline, and a day after the last reminder. */
const DUE = `greatest(d.due - make_interval(secs => :seconds), l.reminded_at + make_interval(secs => ${SECONDS.reminderInterval}))`;

/** Reviews that have no time left are found by the deadline rows they have anyway. */
const PENDING = `FROM deadline d
  CROSS JOIN LATERAL (SELECT x.decision, x.reminded_at FROM lifecycle x
    WHERE x.tenant = d.tenant AND x.request_id = d.request_id LIMIT 1) l
  WHERE d.kind = 'review' AND d.done_at IS NULL AND d.due > ${CLOCK} AND l.decision = 'pending'`;

export const REMINDERS = statements('reminders', {
  load: `SELECT ${REQUEST_COLUMNS}, ${REQUEST_INTEGRITY} ${REQUEST_JOINS} WHERE t.tenant = $1`,
  upcoming: acrossTenants(`SELECT * FROM (
    SELECT d.tenant, d.request_id AS "requestId", 'reminder' AS kind, ${DUE} AS due,
      ceil(extract(epoch FROM ${DUE} - ${CLOCK}) * 1000)::float8 AS "inMs"
    ${PENDING} AND d.due <= (SELECT clock_timestamp() + make_interval(secs => :seconds + :ahead_ms::float8 / 1000)) AND ${DUE} < d.due
  ) x
  WHERE x."inMs" <= :ahead_ms
    AND (:after_due::timestamptz IS NULL OR (x.due, x.tenant, x."requestId") > (:after_due, :after_tenant::text, :after_request::uuid))
  ORDER BY x.due, x.tenant, x."requestId" LIMIT :most`),
  overdue:
    acrossTenants(`SELECT count(*)::float8 AS count, coalesce(extract(epoch FROM ${CLOCK} - min(${DUE})) * 1000, 0)::float8 AS "oldestMs"
  ${PENDING} AND d.due <= (SELECT clock_timestamp() + make_interval(secs => :seconds)) AND ${DUE} < d.due AND ${DUE} <= ${CLOCK}`),
});

/** Reviews whose automatic reminder comes; `seconds` before their deadline. */
export class ReminderSource implements DeadlineSource {
  constructor(
    private readonly pool: Pool,
    private readonly seconds: number,
  ) {}

  async upcoming(aheadMs: number, after: DueItem | null, most: number): Promise<UpcomingItem[]> {
    const { rows } = await ask<UpcomingItem>(this.pool, REMINDERS.upcoming, {
      seconds: this.seconds,
      ahead_ms: aheadMs,
      after_due: after && new Date(after.due),
      after_tenant: after && after.tenant,
      after_request: after && after.requestId,
      most,
    });
    return rows;
  }

  async overdue(): Promise<Overdue> {
    return (await askOne<Overdue>(this.pool, REMINDERS.overdue, {
      seconds: this.seconds,
    })) as Overdue;
  }

  /** The value of {@link DUE}, for one request that is loaded; epoch milliseconds. */
  dueOf({ reviewDeadline, remindedAt }: Lifecycle): number {
    const near = reviewDeadline - this.seconds * 1000;
    return remindedAt === null
      ? near
      : Math.max(near, remindedAt + SECONDS.reminderInterval * 1000);
  }

  /** The next sweep tries again, until the deadline comes: it has passed by itself then. */
  async failed(): Promise<void> {}

  load(item: DueItem): Promise<RequestRow | undefined> {
    return loadRequest(this.pool, REMINDERS.load, workerValues(item));
  }
}
