import type pg from 'pg';
import { DECISION_STATES, PAGE_SIZES } from '@countersign/protocol';
import type { CallerIdentity, RequestRow } from '@countersign/database';

export interface ListRow {
  now: number;
  directory_revision: number;
  /** Null on the one row that carries the time and revision of an empty list. */
  request_id: string | null;
  summary: string;
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
 * The newest of each decision state, one walk along an index each, for the caller to merge. A pending row whose time has
 * come counts as expired (contract §11.1). $3 offset, $4 decision states, $5 the filter or ''.
 */
function newestOfEachState(of: string): string {
  return `SELECT f.* FROM unnest($4::text[]) AS d (decision) CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM lifecycle l WHERE ${of} AND l.decision = d.decision
      AND CASE $5::text WHEN 'pending' THEN l.review_deadline > clock_timestamp()
        WHEN 'expired' THEN d.decision = 'expired' OR l.review_deadline <= clock_timestamp() ELSE true END
    ORDER BY l.accepted_at DESC, l.request_id LIMIT ${MOST} + $3::integer
  ) f`;
}

function listSql(found: string): string {
  return `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now, t.directory_revision, t.fence_reason,
    l.request_id, r.summary, l.decision, l.audit, l.grant_state, l.execution, l.review_deadline, l.grant_deadline,
    s.id AS assignment_id, s.reviewer AS assignment_reviewer, s.expires_at AS assignment_expires_at
  FROM tenant t
  LEFT JOIN (SELECT * FROM (${found}) every ${NEWEST} LIMIT ${MOST} OFFSET $3::integer) l ON l.tenant = t.tenant
  LEFT JOIN request r ON r.tenant = l.tenant AND r.id = l.request_id
  LEFT JOIN assignment s ON s.tenant = l.tenant AND s.request_id = l.request_id
  WHERE t.tenant = $1 AND $2::text IS NOT NULL ORDER BY l.accepted_at DESC, l.request_id`;
}

const OWNED = newestOfEachState('l.tenant = $1 AND l.owner = $2');
const LISTS = {
  operator: {
    name: 'request.list-tenant',
    text: listSql(newestOfEachState('l.tenant = $1')),
  },
  owner: { name: 'request.list-owner', text: listSql(OWNED) },
  // The newest of each route that names the reviewer, and what the human owns.
  human: {
    name: 'request.list-human',
    text: listSql(`SELECT n.* FROM route_reviewer v CROSS JOIN LATERAL (
        ${newestOfEachState('l.tenant = v.tenant AND l.route = v.route')}
      ) n WHERE v.tenant = $1 AND v.reviewer = $2
      UNION ${OWNED}`),
  },
} as const;

export type ListScope = keyof typeof LISTS;

export class ListStore {
  constructor(private readonly pool: pg.Pool) {}

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
    const states =
      state === '' ? DECISION_STATES : state === 'expired' ? ['expired', 'pending'] : [state];
    const { rows } = await this.pool.query<ListRow>({
      ...LISTS[scope],
      values: [caller.tenant, caller.id, offset, states, state],
    });
    return rows;
  }
}
