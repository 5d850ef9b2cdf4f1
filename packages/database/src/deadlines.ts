import type { DeadlineKind } from '@countersign/protocol';
import { ask, askOne } from './pool.js';
import type { Pool } from './pool.js';
import { CLOCK, loadValues } from './request-row.js';
import type { LoadValues } from './request-row.js';
import { acrossTenants, statements } from './statement.js';
import { openIncident, restDeadline, settleDeadlines } from './step-consequences.js';

/** A deadline row that is not done; `due` in epoch milliseconds. */
export interface DueDeadline {
  readonly tenant: string;
  readonly requestId: string;
  readonly kind: string;
  readonly due: number;
}

/** The deadlines that are due and not done; `oldestMs`: for how long the oldest of them is. */
export interface Overdue {
  readonly count: number;
  readonly oldestMs: number;
}

/** How often an item may fail before an incident is opened. */
const TOLERATED = 5;

const REQUEST = ':request_id::uuid';

export const DEADLINE_STATEMENTS = statements('deadlines', {
  upcoming: acrossTenants(`SELECT d.tenant, d.request_id AS "requestId", d.kind, d.due,
      ceil(extract(epoch FROM d.due - clock_timestamp()) * 1000)::float8 AS "inMs"
    FROM deadline d
    WHERE d.done_at IS NULL AND d.due <= (SELECT clock_timestamp() + make_interval(secs => :ahead_ms::float8 / 1000))
      AND d.kind = ANY (:kinds::text[]) AND (d.rests_until IS NULL OR d.rests_until <= clock_timestamp())
      AND (:after_due::timestamptz IS NULL
        OR (d.due, d.tenant, d.request_id, d.kind) > (:after_due, :after_tenant::text, :after_request::uuid, :after_kind::text))
      AND d.due >= coalesce(:after_due, '-infinity')
    ORDER BY d.due, d.tenant, d.request_id, d.kind LIMIT :most`),
  // One that rests without a failure rests for a legal hold: it is late from the end of its rest.
  overdue:
    acrossTenants(`SELECT count(*)::float8 AS count, coalesce(extract(epoch FROM clock_timestamp()
        - min(greatest(d.due, CASE WHEN d.attempts = 0 THEN d.rests_until END))) * 1000, 0)::float8 AS "oldestMs"
    FROM deadline d WHERE d.done_at IS NULL AND d.due <= ${CLOCK} AND d.kind = ANY (:kinds::text[])
      AND (d.rests_until IS NULL OR d.attempts > 0 OR d.rests_until <= ${CLOCK})`),
  finish: settleDeadlines({
    request: REQUEST,
    kind: ':kind',
    and: 'deadline.due <= clock_timestamp()',
  }),
  failed: `WITH d AS (
    ${restDeadline({
      request: REQUEST,
      kind: ':kind',
      seconds: 'least(3600, power(2, least(attempts + 1, 12)))',
    })}
  ) ${openIncident({
    code: "'retention_stalled'",
    request: REQUEST,
    from: `d WHERE attempts = ${TOLERATED}`,
  })}`,
});

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
    const { rows } = await ask<DueDeadline & { inMs: number }>(
      this.pool,
      DEADLINE_STATEMENTS.upcoming,
      {
        ahead_ms: aheadMs,
        kinds: this.kinds,
        after_due: after && new Date(after.due),
        after_tenant: after && after.tenant,
        after_request: after && after.requestId,
        after_kind: after && after.kind,
        most,
      },
    );
    return rows;
  }

  /** The number of overdue items, waiting after a failure or not, and the age of the oldest; without those that are held. */
  async overdue(): Promise<Overdue> {
    const found = await askOne<Overdue>(this.pool, DEADLINE_STATEMENTS.overdue, {
      kinds: this.kinds,
    });
    return found as Overdue;
  }

  /** Nothing is left to do for the item: it is no longer needed, or its request is gone. */
  async finish({ tenant, requestId, kind }: DueDeadline): Promise<void> {
    await ask(this.pool, DEADLINE_STATEMENTS.finish, { tenant, request_id: requestId, kind });
  }

  /** Lets the item rest, twice as long each time up to an hour, and opens one incident when it keeps failing. */
  async failed({ tenant, requestId, kind }: DueDeadline): Promise<void> {
    await ask(this.pool, DEADLINE_STATEMENTS.failed, { tenant, request_id: requestId, kind });
  }
}

/** The values that a worker's step on a request loads by: as an operation's, without a caller. */
export function workerValues({ tenant, requestId }: DueDeadline): LoadValues {
  return loadValues({ tenant, id: '' }, requestId);
}
