import { DECISION_STATES } from '@countersign/protocol';
import type {
  AdminDelivery,
  AdminKey,
  AdminPrincipal,
  Invalidation,
  RouteConfig,
} from '@countersign/protocol';
import { CLOCK, NOW, ask, isShown, keyed, statement } from '@countersign/database';
import type { Pool, RequestRow, Statement, Values } from '@countersign/database';
import { MATCHES, SEARCHED } from './search.js';

// The lists of the operator pages (decisions/0016). Every page is one walk along an index that is there for others.

/** One more than a page, so that the next one is known to exist. */
export const ADMIN_PAGE = 100;
const MOST = ADMIN_PAGE + 1;

export interface RouteRow {
  id: string;
  revision: number;
  config: RouteConfig;
  updated_at: number;
}

export interface PrincipalRow extends Omit<AdminPrincipal, 'updated_at'> {
  updated_at: number;
}

export interface AdminRequestRow {
  id: string;
  summary: string;
  owner: string;
  route: string;
  accepted_at: number;
  review_deadline: number;
  grant_deadline: number | null;
  decision: RequestRow['decision'];
  audit: RequestRow['audit'];
  grant_state: RequestRow['grant_state'];
  execution: RequestRow['execution'];
  invalidated: Invalidation | null;
  now: number;
  fence_reason: string | null;
}

export interface DeliveryRow extends Omit<AdminDelivery, 'created_at' | 'next_at'> {
  created_at: number;
  next_at: number | null;
}

export interface IncidentRow {
  id: string;
  code: string;
  request_id: string | null;
  created_at: number;
}

/** Newest first, ties by id: everything behind this one. */
export interface Behind {
  readonly at: number;
  readonly id: string;
}

export interface RequestFilter {
  readonly state: string;
  readonly route: string | null;
  readonly producer: string | null;
  /** Epoch milliseconds, each end may be missing. */
  readonly since: number | null;
  readonly before: number | null;
  readonly behind: Behind | null;
}

const time = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;

/** Which index is walked: by one route, by one producer, or all of the tenant. */
type Walk = 'tenant' | 'route' | 'owner';
const WALKS: Record<Walk, string> = {
  tenant: '',
  route: 'AND l.route = :route',
  owner: 'AND l.owner = :producer',
};

/**
 * `state`: the filter or ''; `until` is inclusive, with those behind the id `last` at that very time.
 * A pending request whose time has come counts as expired (protocol §11.1).
 */
function requestsSql(walk: Walk): string {
  return `SELECT l.request_id AS id, r.summary, l.owner, l.route, l.accepted_at, l.review_deadline, l.grant_deadline,
    l.decision, l.audit, l.grant_state, l.execution, l.invalidated, t.fence_reason,
    ${NOW} AS now
  FROM tenant t JOIN LATERAL (
    SELECT f.* FROM unnest(:states::text[]) AS d (decision) CROSS JOIN LATERAL (
      SELECT l.* FROM lifecycle l WHERE l.tenant = $1 ${WALKS[walk]} AND l.decision = d.decision AND l.decision <> ''
        AND ${isShown('l')} AND l.accepted_at >= ${time(':since')} AND l.accepted_at <= ${time(':until')}
        AND (l.accepted_at < ${time(':until')} OR l.request_id > :last::uuid)
        AND (:route::text IS NULL OR l.route = :route) AND (:producer::text IS NULL OR l.owner = :producer)
        AND (:state::text <> 'pending' OR l.review_deadline > ${CLOCK})
        AND (:state::text <> 'expired' OR l.decision = 'expired' OR l.review_deadline <= ${CLOCK})
      ORDER BY l.accepted_at DESC, l.request_id LIMIT ${MOST}
    ) f ORDER BY f.accepted_at DESC, f.request_id LIMIT ${MOST}
  ) l ON true ${keyed('request', 'r', 'x.id = l.request_id')}
  WHERE t.tenant = $1 ORDER BY l.accepted_at DESC, l.request_id`;
}

export const REQUESTS: Record<Walk, Statement> = {
  tenant: statement('admin.requests', requestsSql('tenant')),
  route: statement('admin.requests-of-route', requestsSql('route')),
  owner: statement('admin.requests-of-producer', requestsSql('owner')),
};

const EARLIEST = 0;
/** Later than any request: 9999-12-31. */
const LATEST = 253_402_300_799_999;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export const ROUTES = statement(
  'admin.routes',
  `SELECT r.id, r.revision, r.config, r.updated_at FROM route r
        WHERE r.tenant = $1 AND r.id > :after AND (:id::text IS NULL OR r.id = :id) ORDER BY r.id LIMIT ${MOST}`,
);

export const PRINCIPALS = statement(
  'admin.principals',
  `SELECT p.id, p.kind, p.config, p.updated_at,
          EXISTS (SELECT 1 FROM credential c WHERE c.tenant = p.tenant AND c.principal = p.id) AS has_token,
          EXISTS (SELECT 1 FROM webhook_secret s WHERE s.tenant = p.tenant AND s.principal = p.id) AS has_webhook_secret
        FROM principal p
        WHERE p.tenant = $1 AND p.id > :after AND (:id::text IS NULL OR p.id = :id) ORDER BY p.id LIMIT ${MOST}`,
);

export const DELIVERIES = statement(
  'admin.deliveries',
  `SELECT f.id, f.request_id, f.kind, f.state, f.recipient, f.attempts, f.error, f.created_at,
          CASE WHEN f.state = 'pending' THEN f.next_at END AS next_at
        FROM unnest(ARRAY['smtp', 'webhook']) AS k (kind) CROSS JOIN LATERAL (
          SELECT x.* FROM delivery x WHERE x.tenant = $1 AND x.kind = k.kind AND x.kind <> '' AND x.state = :state
            AND x.created_at <= ${time(':at')} AND (x.created_at < ${time(':at')} OR x.id < :id::uuid)
          ORDER BY x.created_at DESC, x.id DESC LIMIT ${MOST}
        ) f ORDER BY f.created_at DESC, f.id DESC LIMIT ${MOST}`,
);

export const INCIDENTS = statement(
  'admin.incidents',
  `SELECT i.id, i.code, i.request_id, i.created_at FROM incident i
        WHERE i.tenant = $1 AND i.created_at <= ${time(':at')} AND (i.created_at < ${time(':at')} OR i.id < :id::uuid)
          AND (:request::uuid IS NULL OR i.request_id = :request)
        ORDER BY i.created_at DESC, i.id DESC LIMIT ${MOST}`,
);

/** Those that wait for too long are gone, also where their rows are still there (protocol §19.4). */
export const DESK_KEYS = statement(
  'admin.keys',
  `SELECT k.id, k.state, k.label, k.algorithm, k.device_bound, k.principal, k.attempts, k.enrolment -> 'statement' AS enrolment,
    k.enrolled_at, p.config ->> 'name' AS name, p.oidc_issuer AS issuer, p.oidc_subject AS subject
  FROM credential_bound k JOIN principal p ON p.tenant = k.tenant AND p.id = k.principal
  WHERE k.tenant = $1 AND (k.state = 'suspended' OR k.state = 'waiting' AND k.enrolled_at > ${CLOCK} - interval '24 hours')
    AND k.enrolled_at <= ${time(':at')} AND (k.enrolled_at < ${time(':at')} OR k.id < :id::uuid)
  ORDER BY k.enrolled_at DESC, k.id DESC LIMIT ${MOST}`,
);

export interface KeyRow {
  id: string;
  state: AdminKey['state'];
  label: string;
  algorithm: AdminKey['algorithm'];
  device_bound: boolean;
  principal: string;
  attempts: number;
  enrolment: AdminKey['enrolment'];
  enrolled_at: number;
  name: string | null;
  issuer: string | null;
  subject: string | null;
}

/** Of requests by words or by the other three states: so many are looked at for one page. */
export const LOOKED_AT = 2_000;

/**
 * As `requestsSql`, of the next that are looked at those that match; with the last one that was looked at, behind which a
 * search goes on.
 */
const FOUND = (walk: Walk) => `WITH every AS MATERIALIZED (
    SELECT f.* FROM unnest(:states::text[]) AS d (decision) CROSS JOIN LATERAL (
      SELECT l.* FROM lifecycle l WHERE l.tenant = $1 ${WALKS[walk]} AND l.decision = d.decision AND l.decision <> ''
        AND ${isShown('l')} AND l.accepted_at >= ${time(':since')} AND l.accepted_at <= ${time(':until')}
        AND (l.accepted_at < ${time(':until')} OR l.request_id > :last::uuid)
      ORDER BY l.accepted_at DESC, l.request_id LIMIT ${LOOKED_AT}
    ) f ORDER BY f.accepted_at DESC, f.request_id LIMIT ${LOOKED_AT}
  ), matching AS MATERIALIZED (
    SELECT e.* FROM every e ${SEARCHED}
    WHERE (:route::text IS NULL OR e.route = :route) AND (:producer::text IS NULL OR e.owner = :producer)
      AND (:state::text <> 'pending' OR e.review_deadline > ${CLOCK})
      AND (:state::text <> 'expired' OR e.decision = 'expired' OR e.review_deadline <= ${CLOCK})
      AND (:audit::text IS NULL OR e.audit = :audit) AND (:execution::text IS NULL OR e.execution = :execution)
      AND (:grant::text IS NULL OR :grant = CASE WHEN e.grant_state IN ('available', 'pending_anchor')
        AND e.grant_deadline <= ${CLOCK} THEN 'expired' ELSE e.grant_state END)
      AND ${MATCHES}
    ORDER BY e.accepted_at DESC, e.request_id LIMIT ${MOST}
  )
  SELECT (SELECT count(*) FROM every)::float8 AS looked_at,
    (SELECT json_build_object('at', floor(extract(epoch FROM e.accepted_at) * 1000)::float8, 'id', e.request_id)
      FROM every e ORDER BY e.accepted_at, e.request_id DESC LIMIT 1) AS last,
    (SELECT coalesce(json_agg(json_build_object('id', e.request_id, 'summary', r.summary, 'owner', e.owner,
        'route', e.route, 'accepted_at', floor(extract(epoch FROM e.accepted_at) * 1000)::float8,
        'review_deadline', floor(extract(epoch FROM e.review_deadline) * 1000)::float8,
        'grant_deadline', floor(extract(epoch FROM e.grant_deadline) * 1000)::float8,
        'decision', e.decision, 'audit', e.audit, 'grant_state', e.grant_state, 'execution', e.execution,
        'invalidated', e.invalidated, 'now', ${NOW}, 'fence_reason', t.fence_reason)
        ORDER BY e.accepted_at DESC, e.request_id), '[]')
      FROM matching e ${keyed('request', 'r', 'x.id = e.request_id')}) AS found
  FROM tenant t WHERE t.tenant = $1`;

export const REQUESTS_FOUND: Record<Walk, Statement> = {
  tenant: statement('desk.found', FOUND('tenant')),
  route: statement('desk.found-of-route', FOUND('route')),
  owner: statement('desk.found-of-producer', FOUND('owner')),
};

/** A filter that no index of requests knows. */
export interface Search {
  readonly words: readonly string[];
  readonly audit: string | null;
  readonly grant: string | null;
  readonly execution: string | null;
}

export interface FoundRows {
  readonly found: AdminRequestRow[];
  readonly looked_at: number;
  /** The last that was looked at. */
  readonly last: Behind | null;
}

/** The index that is walked for a filter, and the values of the walk. */
function walkOf(
  tenant: string,
  filter: RequestFilter,
): readonly [Walk, Values & { tenant: string }] {
  const { state, route, producer, since, before, behind } = filter;
  const states =
    state === '' ? DECISION_STATES : state === 'expired' ? ['expired', 'pending'] : [state];
  // `before` itself is outside; items at the very time of the last one may come after it.
  const until = behind ?? { at: before === null ? LATEST : before - 1, id: FIRST_ID };
  const walk = route !== null ? 'route' : producer !== null ? 'owner' : 'tenant';
  const values = { tenant, route, producer, states, state };
  return [walk, { ...values, since: since ?? EARLIEST, until: until.at, last: until.id }];
}

export class AdminStore {
  constructor(private readonly pool: Pool) {}

  /** In the order of their ids, from behind `after`; or the one with this `id`. */
  async routes(tenant: string, id: string | null, after: string): Promise<RouteRow[]> {
    const { rows } = await ask<RouteRow>(this.pool, ROUTES, { tenant, after, id });
    return rows;
  }

  /** As `routes`. Of secrets no more than that they are there. */
  async principals(tenant: string, id: string | null, after: string): Promise<PrincipalRow[]> {
    const { rows } = await ask<PrincipalRow>(this.pool, PRINCIPALS, { tenant, after, id });
    return rows;
  }

  /** Newest first. */
  async requests(tenant: string, filter: RequestFilter): Promise<AdminRequestRow[]> {
    const [walk, values] = walkOf(tenant, filter);
    const { rows } = await ask<AdminRequestRow>(this.pool, REQUESTS[walk], values);
    return rows;
  }

  /** Those of the next that match, newest first. */
  async found(tenant: string, filter: RequestFilter, search: Search): Promise<FoundRows> {
    const [walk, values] = walkOf(tenant, filter);
    const { rows } = await ask<FoundRows>(this.pool, REQUESTS_FOUND[walk], {
      ...values,
      ...search,
    });
    return rows[0] as FoundRows;
  }

  /** Of one state, newest first. */
  async deliveries(tenant: string, state: string, behind: Behind | null): Promise<DeliveryRow[]> {
    const { at, id } = behind ?? { at: LATEST, id: LAST_ID };
    const { rows } = await ask<DeliveryRow>(this.pool, DELIVERIES, { tenant, state, at, id });
    return rows;
  }

  /** Newest first. */
  async keys(tenant: string, behind: Behind | null): Promise<KeyRow[]> {
    const { at, id } = behind ?? { at: LATEST, id: LAST_ID };
    return (await ask<KeyRow>(this.pool, DESK_KEYS, { tenant, at, id })).rows;
  }

  /** Newest first; of one request, or of all. */
  async incidents(
    tenant: string,
    request: string | null,
    behind: Behind | null,
  ): Promise<IncidentRow[]> {
    const { at, id } = behind ?? { at: LATEST, id: LAST_ID };
    const { rows } = await ask<IncidentRow>(this.pool, INCIDENTS, { tenant, at, id, request });
    return rows;
  }
}
