import {
  REQUEST_COLUMNS,
  REQUEST_INTEGRITY,
  REQUEST_JOINS,
  loadRequest,
  statement,
  workerValues,
} from '@countersign/database';
import type { Pool, RequestRow } from '@countersign/database';
import { SECONDS } from '@countersign/protocol';
import type { Lifecycle } from '@countersign/protocol';
import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';

const NOW = '(SELECT clock_timestamp())';

/** When a pending review is reminded of by itself: so long before its deadline, and a day after the last reminder. */
const DUE = `greatest(d.due - make_interval(secs => $1), l.reminded_at + make_interval(secs => ${SECONDS.reminderInterval}))`;

/** Reviews that have no time left are found by the deadline rows they have anyway. */
const PENDING = `FROM deadline d
  CROSS JOIN LATERAL (SELECT x.decision, x.reminded_at FROM lifecycle x
    WHERE x.tenant = d.tenant AND x.request_id = d.request_id LIMIT 1) l
  WHERE d.kind = 'review' AND d.done_at IS NULL AND d.due > ${NOW} AND l.decision = 'pending'`;

export const LOAD_DUE_REMINDER = statement(
  'reminders.load',
  `SELECT ${REQUEST_COLUMNS}, ${REQUEST_INTEGRITY} ${REQUEST_JOINS} WHERE t.tenant = $1`,
);

/** Reviews whose automatic reminder comes; `seconds` before their deadline. */
export class ReminderSource implements DeadlineSource {
  constructor(
    private readonly pool: Pool,
    private readonly seconds: number,
  ) {}

  async upcoming(aheadMs: number, after: DueItem | null, most: number): Promise<UpcomingItem[]> {
    const { rows } = await this.pool.acrossTenants.query<UpcomingItem>({
      name: 'reminders.upcoming',
      text: `SELECT * FROM (
          SELECT d.tenant, d.request_id AS "requestId", 'reminder' AS kind, ${DUE} AS due,
            ceil(extract(epoch FROM ${DUE} - ${NOW}) * 1000)::float8 AS "inMs"
          ${PENDING} AND d.due <= (SELECT clock_timestamp() + make_interval(secs => $1 + $2::float8 / 1000)) AND ${DUE} < d.due
        ) x
        WHERE x."inMs" <= $2 AND ($3::timestamptz IS NULL OR (x.due, x.tenant, x."requestId") > ($3, $4::text, $5::uuid))
        ORDER BY x.due, x.tenant, x."requestId" LIMIT $6`,
      values: [
        this.seconds,
        aheadMs,
        after === null ? null : new Date(after.due),
        after?.tenant ?? null,
        after?.requestId ?? null,
        most,
      ],
    });
    return rows;
  }

  async overdue(): Promise<{ count: number; oldestMs: number }> {
    const { rows } = await this.pool.acrossTenants.query<{ count: number; oldestMs: number }>({
      name: 'reminders.overdue',
      text: `SELECT count(*)::float8 AS count,
          coalesce(extract(epoch FROM ${NOW} - min(${DUE})) * 1000, 0)::float8 AS "oldestMs"
        ${PENDING} AND d.due <= (SELECT clock_timestamp() + make_interval(secs => $1)) AND ${DUE} < d.due AND ${DUE} <= ${NOW}`,
      values: [this.seconds],
    });
    return rows[0] as { count: number; oldestMs: number };
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
    return loadRequest(this.pool, LOAD_DUE_REMINDER, workerValues(item));
  }
}
