import { DECISION_STATES, PAGE_SIZES } from '@countersign/protocol';
import { CLOCK, NOW, ask, isShown, keyed, statement } from '@countersign/database';
import type { CallerIdentity, Pool, RequestRow } from '@countersign/database';
import { UNKEPT } from './unkept.js';

export interface ListRow {
  now: number;
  directory_revision: number;
  /** Null on the one row that carries the time and revision of an empty list. */
  request_id: string | null;
  summary: string;
  /** Where the summary may hold characters that the column cannot store. */
  canonical: string | null;
  decision: RequestRow['decision'];
  audit: RequestRow['audit'];
  grant_state: RequestRow['grant_state'];
  execution: RequestRow['execution'];
  review_deadline: number;
  grant_deadline: number | null;
  fence_reason: string | null;
  assignment_id: string | null;
  assignment_reviewer: string | null;
  assignment_expires_at: number | null;
}

/** One row more than a page, so that the next page is known to exist. */
const MOST = PAGE_SIZES.requests + 1;
const COLUMNS = `l.tenant, l.request_id, l.decision, l.audit, l.grant_state, l.execution, l.accepted_at,
  l.review_deadline, l.grant_deadline`;
const NEWEST = 'ORDER BY accepted_at DESC, request_id';

/**
 * The rows that the filter `expired` finds beside those stored as expired: a pending row whose deadline has passed counts
 * as expired (protocol §11.1). Those are few, the worker stores their state soon, and they have an index of their own,
 * which only LIKE can use. Materialised, lest Postgres look for a route's or an owner's among all that are pending.
 */
const OVERDUE = `WITH overdue AS MATERIALIZED (
    SELECT ${COLUMNS}, l.owner, l.route FROM lifecycle l WHERE l.tenant = $1 AND l.decision LIKE 'pending'
      AND l.review_deadline <= ${CLOCK} AND :state::text = 'expired'
  )`;

/**
 * The newest of each decision state, one walk along an index each, for the caller to merge.
 * `states`: the decision states; `state`: the filter or ''.
 */
function newestOfEachState(of: string): string {
  return `SELECT f.* FROM unnest(:states::text[]) AS d (decision) CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM lifecycle l WHERE ${of} AND l.decision = d.decision AND l.decision <> ''
      AND ${isShown('l')} AND (:state::text <> 'pending' OR l.review_deadline > ${CLOCK})
    ORDER BY l.accepted_at DESC, l.request_id LIMIT ${MOST} + :offset::integer
  ) f
  UNION ALL SELECT ${COLUMNS} FROM overdue l WHERE ${of}`;
}

function listSql(found: string): string {
  return `${OVERDUE}
  ${rowsSql(`SELECT * FROM (${found}) every ${NEWEST} LIMIT ${MOST} OFFSET :offset::integer`, 'l.accepted_at DESC, l.request_id')}`;
}

/** The rows of a page, which `page` finds in that order, with what is shown of each. */
function rowsSql(page: string, order: string): string {
  return `SELECT ${NOW} AS now, t.directory_revision, t.fence_reason,
    l.request_id, r.summary, CASE WHEN r.summary LIKE '%${UNKEPT}%' THEN r.canonical END AS canonical, l.decision, l.audit, l.grant_state, l.execution, l.review_deadline, l.grant_deadline,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  FROM tenant t
  LEFT JOIN (${page}) l ON l.tenant = t.tenant
  ${keyed('request', 'r', 'x.id = l.request_id')} ${keyed('assignment', 's', 'x.request_id = l.request_id')}
  WHERE t.tenant = $1 AND :caller::text IS NOT NULL ORDER BY ${order}`;
}

/**
 * The owner's requests of an occurrence, newest first: ids are in the order of time. One walk along an index, however
 * often the occurrence was asked for anew.
 */
const OF_OCCURRENCE = `SELECT ${COLUMNS} FROM (
    SELECT x.id FROM request x
    WHERE x.tenant = $1 AND x.owner = :caller AND x.occurrence = :occurrence ORDER BY x.id DESC OFFSET 0
  ) q ${keyed('lifecycle', 'l', 'x.request_id = q.id')}
  WHERE ${isShown('l')} AND :state::text IN ('', CASE WHEN l.decision = 'pending' AND l.review_deadline <= ${CLOCK} THEN 'expired' ELSE l.decision END)
  ORDER BY q.id DESC LIMIT ${MOST} OFFSET :offset::integer`;

const OWNED = newestOfEachState('l.tenant = $1 AND l.owner = :caller');
export const LISTS = {
  operator: statement('request.list-tenant', listSql(newestOfEachState('l.tenant = $1'))),
  owner: statement('request.list-owner', listSql(OWNED)),
  // The newest of each route that names the reviewer, and the human's own requests.
  human: statement(
    'request.list-human',
    listSql(`SELECT n.* FROM route_reviewer v CROSS JOIN LATERAL (
        ${newestOfEachState('l.tenant = v.tenant AND l.route = v.route')}
      ) n WHERE v.tenant = $1 AND v.reviewer = :caller
      UNION (${OWNED})`),
  ),
} as const;

export type ListScope = keyof typeof LISTS;

export const OCCURRENCE_LIST = statement(
  'request.list-occurrence',
  rowsSql(OF_OCCURRENCE, 'l.request_id DESC'),
);

export class ListStore {
  constructor(private readonly pool: Pool) {}

  /**
   * At most 51 rows, newest first, ties by id; always at least one, whose `request_id` is null when there is none.
   * `state` '' = every state.
   */
  async list(
    caller: CallerIdentity,
    scope: ListScope,
    offset: number,
    state: string,
  ): Promise<ListRow[]> {
    const states = state === '' ? DECISION_STATES : [state];
    const values = { tenant: caller.tenant, caller: caller.id, offset, states, state };
    const { rows } = await ask<ListRow>(this.pool, LISTS[scope], values);
    return rows;
  }

  /** As {@link list}, of the caller's own requests of one occurrence, newest first by id. */
  async ofOccurrence(
    caller: CallerIdentity,
    occurrence: string,
    offset: number,
    state: string,
  ): Promise<ListRow[]> {
    const values = { tenant: caller.tenant, caller: caller.id, occurrence, offset, state };
    const { rows } = await ask<ListRow>(this.pool, OCCURRENCE_LIST, values);
    return rows;
  }
}
