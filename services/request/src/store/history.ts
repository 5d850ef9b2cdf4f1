import { ask, isHiddenRequest, jsonOf, statement } from '@countersign/database';
import type { CallerIdentity, Pool } from '@countersign/database';

// The history of one request (decisions/0028).

/** Records and candidates of one request that are looked at. */
export const HISTORY_MOST = { records: 200, candidates: 50 } as const;

export interface RecordStep {
  readonly type: string;
  readonly issued_at: string;
  readonly reason: string | null;
  readonly reviewer: string | null;
  readonly decision: string | null;
  readonly confirmed_at: string | null;
  readonly identity: string | null;
  readonly recorder: { readonly kind: string; readonly subject: string } | null;
  readonly status: string | null;
}

interface PersonAt {
  readonly reviewer: string;
  readonly at: string;
}

export interface HistoryRow {
  readonly records: readonly RecordStep[];
  readonly frozen: readonly PersonAt[];
  readonly taken: PersonAt | null;
  /** Canonical texts of the requests before and after, where the caller may see them. */
  readonly replaces: string | null;
  readonly replaced_by: string | null;
}

const of = (member: string) => `${jsonOf('x.record')} #>> '{payload,${member}}'`;

/** A replacement may be on another route: then it is shown to its own reviewers, and to operators (protocol §6.4). */
const NEIGHBOUR = (id: string) => `(SELECT r.canonical FROM request r
  WHERE r.tenant = $1 AND r.id = ${id} AND NOT ${isHiddenRequest('r.id')} AND (:operator::boolean OR EXISTS (
    SELECT FROM route_reviewer v WHERE v.tenant = $1 AND v.reviewer = :caller AND v.route = r.route)))`;

// The key under which a request was replaced names the new one, and is never deleted before it.
const HISTORY_OF = statement(
  'history.read',
  `SELECT
  (SELECT coalesce(json_agg(json_build_object('type', x.type, 'issued_at', ${jsonOf('x.record')} #>> '{protected,issued_at}',
      'reason', ${of('reason')}, 'reviewer', ${of('reviewer')}, 'decision', ${of('decision')},
      'confirmed_at', ${of('confirmed_at')}, 'identity', ${of('execution_identity')},
      'recorder', ${jsonOf('x.record')} #> '{payload,recorded_by}', 'status', ${of('outcome,status')}) ORDER BY x.id), '[]')
    FROM (SELECT y.* FROM record y WHERE y.tenant = $1 AND y.request_id = :request_id::uuid
      ORDER BY y.id DESC LIMIT ${HISTORY_MOST.records}) x WHERE x.record IS NOT NULL) AS records,
  (SELECT coalesce(json_agg(json_build_object('reviewer', c.reviewer, 'at', c.created_at) ORDER BY c.created_at), '[]')
    FROM (SELECT y.reviewer, y.created_at FROM candidate y WHERE y.tenant = $1 AND y.request_id = :request_id::uuid
      ORDER BY y.created_at DESC LIMIT ${HISTORY_MOST.candidates}) c) AS frozen,
  (SELECT json_build_object('reviewer', a.reviewer, 'at', a.expires_at - make_interval(secs => :lease::float8))
    FROM assignment a WHERE a.tenant = $1 AND a.request_id = :request_id::uuid) AS taken,
  ${NEIGHBOUR(':before::uuid')} AS replaces,
  ${NEIGHBOUR(`(SELECT i.request_id FROM idempotency i WHERE i.tenant = $1 AND i.principal = :owner
    AND i.operation = 'request.supersede:' || :request_id AND i.request_id <> :request_id::uuid LIMIT 1)`)} AS replaced_by`,
);

/** Of principals of the tenant; those without one, and those that are gone, are left out. */
const NAMES = statement(
  'history.names',
  `SELECT p.id, p.config ->> 'name' AS name FROM principal p
    WHERE p.tenant = $1 AND p.id = ANY (:ids::text[]) AND p.config ? 'name'`,
);

export const HISTORY = { HISTORY_OF, NAMES } as const;

export interface HistoryOf {
  readonly id: string;
  readonly owner: string;
  readonly operator: boolean;
  /** The id of the request that it replaces. */
  readonly before: string | null;
  /** Seconds for which an assignment holds. */
  readonly lease: number;
}

export class HistoryStore {
  constructor(private readonly pool: Pool) {}

  async read(caller: CallerIdentity, { id, ...rest }: HistoryOf): Promise<HistoryRow> {
    const { rows } = await ask<HistoryRow>(this.pool, HISTORY_OF, {
      tenant: caller.tenant,
      caller: caller.id,
      request_id: id,
      ...rest,
    });
    return rows[0] as HistoryRow;
  }

  async names(tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await ask<{ id: string; name: string }>(this.pool, NAMES, { tenant, ids });
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
