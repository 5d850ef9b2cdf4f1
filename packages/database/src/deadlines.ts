import type { DeadlineKind } from '@countersign/protocol';
import { ask } from './pool.js';
import type { Pool } from './pool.js';
import { loadValues } from './request-row.js';
import type { LoadValues } from './request-row.js';
import { statement } from './statement.js';
import { openIncident, restDeadline, settleDeadlines } from './step-consequences.js';

/** A deadline row that is not done; `due` in epoch milliseconds. */
export interface DueDeadline {
  readonly tenant: string;
  readonly requestId: string;
  readonly kind: string;
  readonly due: number;
}

/** How often an item may fail before an incident is opened. */
const TOLERATED = 5;

/** Asked once a statement: to a clock that may tell each row another time Postgres cannot walk an index. */
const NOW = '(SELECT clock_timestamp())';

export const FINISH = statement(
  'deadlines.finish',
  settleDeadlines({
    request: ':request_id::uuid',
    kind: ':kind',
    and: 'deadline.due <= clock_timestamp()',
  }),
);

export const FAILED = statement(
  'deadlines.failed',
  `WITH d AS (
    ${restDeadline({
      request: ':request_id::uuid',
      kind: ':kind',
      seconds: 'least(3600, power(2, least(attempts + 1, 12)))',
    })}
  ) ${openIncident({
    code: "'retention_stalled'",
    request: ':request_id::uuid',
    from: `d WHERE attempts = ${TOLERATED}`,
  })}`,
);

/** The deadline rows of some kinds, as the worker that does them sees them. */
export class Deadlines {
  constructor(
    private readonly pool: Pool,
    private readonly kinds: readonly DeadlineKind[],
  ) {}

  /**
   * Items that are not done and become due within `aheadMs`, in the order of time, at most `most` after the item `after`;
   * `inMs` counts on the database's clock. Items that wait after a failure are left out.
   */
  async upcoming(
    aheadMs: number,
    after: DueDeadline | null,
    most: number,
  ): Promise<(DueDeadline & { inMs: number })[]> {
    const { rows } = await this.pool.acrossTenants.query<DueDeadline & { inMs: number }>({
      name: 'deadlines.upcoming',
      text: `SELECT d.tenant, d.request_id AS "requestId", d.kind, d.due,
          ceil(extract(epoch FROM d.due - clock_timestamp()) * 1000)::float8 AS "inMs"
        FROM deadline d
        WHERE d.done_at IS NULL AND d.due <= (SELECT clock_timestamp() + make_interval(secs => $1::float8 / 1000))
          AND d.kind = ANY ($2::text[]) AND (d.rests_until IS NULL OR d.rests_until <= clock_timestamp())
          AND ($3::timestamptz IS NULL OR (d.due, d.tenant, d.request_id, d.kind) > ($3, $4::text, $5::uuid, $6::text))
          AND d.due >= coalesce($3, '-infinity')
        ORDER BY d.due, d.tenant, d.request_id, d.kind LIMIT $7`,
      values: [
        aheadMs,
        this.kinds,
        after === null ? null : new Date(after.due),
        after?.tenant ?? null,
        after?.requestId ?? null,
        after?.kind ?? null,
        most,
      ],
    });
    return rows;
  }

  /** The number of overdue items, waiting after a failure or not, and the age of the oldest. */
  async overdue(): Promise<{ count: number; oldestMs: number }> {
    const { rows } = await this.pool.acrossTenants.query<{ count: number; oldestMs: number }>({
      name: 'deadlines.overdue',
      text: `SELECT count(*)::float8 AS count,
          coalesce(extract(epoch FROM clock_timestamp() - min(d.due)) * 1000, 0)::float8 AS "oldestMs"
        FROM deadline d WHERE d.done_at IS NULL AND d.due <= ${NOW} AND d.kind = ANY ($1::text[])`,
      values: [this.kinds],
    });
    return rows[0] as { count: number; oldestMs: number };
  }

  /** Nothing is left to do for the item: it is no longer needed, or its request is gone. */
  async finish({ tenant, requestId, kind }: DueDeadline): Promise<void> {
    await ask(this.pool, FINISH, { tenant, request_id: requestId, kind });
  }

  /** Lets the item rest, twice as long each time up to an hour, and opens one incident when it keeps failing. */
  async failed({ tenant, requestId, kind }: DueDeadline): Promise<void> {
    await ask(this.pool, FAILED, { tenant, request_id: requestId, kind });
  }
}

/** The values that a worker's step on a request loads by: as an operation's, without a caller. */
export function workerValues({ tenant, requestId }: DueDeadline): LoadValues {
  return loadValues({ tenant, id: '' }, requestId);
}
