import { INBOX_ENDS, INBOX_SIZES } from '@countersign/protocol';
import type { InboxCount } from '@countersign/protocol';
import {
  CLOCK,
  MAY_REVIEW,
  NOW,
  REVIEWED_ROUTES,
  ask,
  isShown,
  jsonOf,
  keyed,
  pendingReviews,
  statement,
} from '@countersign/database';
import type { CallerIdentity, Pool, RequestRow, Statement, Values } from '@countersign/database';
import type { Behind } from './admin-reads.js';
import { MATCHES, SEARCHED, nameIn, requesterIn } from './search.js';
import { UNKEPT } from './unkept.js';

// The inbox of a reviewer (decisions/0025): requests on the routes that name the reader.

interface Named {
  readonly id: string;
  readonly name: string | null;
}

/** One request of an answer. Times are texts that `Date.parse` reads. */
export interface InboxRow {
  readonly id: string;
  readonly summary: string;
  /** Where the summary may hold characters that the column cannot store. */
  readonly canonical: string | null;
  readonly purpose: string;
  readonly route: string;
  readonly producer: Named;
  readonly requester: Named;
  readonly accepted_at: string;
  readonly review_deadline: string;
  readonly grant_deadline: string | null;
  readonly decision: RequestRow['decision'];
  readonly audit: RequestRow['audit'];
  readonly grant_state: RequestRow['grant_state'];
  readonly execution: RequestRow['execution'];
  readonly assignment: { readonly reviewer: Named; readonly expires_at: string } | null;
  readonly frozen: boolean;
  readonly outcome: {
    readonly decision: string;
    readonly reviewer: Named;
    readonly confirmed_at: string;
  } | null;
  readonly replaces: string | null;
}

export interface InboxRows {
  readonly now: number;
  readonly fence_reason: string | null;
  readonly reviews: boolean;
  readonly items: readonly InboxRow[];
  readonly routes: readonly InboxCount[];
  readonly producers: readonly InboxCount[];
}

export interface WaitingCounts {
  /** Of all that wait, one more than `INBOX_SIZES.waiting` when there are others. */
  readonly looked_at: number;
  /** Of these, those that the reader may decide. */
  readonly waiting: number;
  readonly mine: number;
}

export interface WaitingRows extends InboxRows, WaitingCounts {
  readonly matching: number;
}

export interface PastRows extends InboxRows {
  readonly looked_at: number;
  /** Where the page after this one begins, by the last that was looked at or is shown; null when there is none. */
  readonly last_looked_at: string | null;
  readonly last_shown: string | null;
}

interface Filter {
  readonly route: string | null;
  readonly producer: string | null;
  /** Every one, in one of its spellings, must be in the summary, an id or a name. */
  readonly words: readonly string[];
}

export interface WaitingFilter extends Filter {
  readonly mine: boolean;
  readonly sort: string;
  readonly limit: number;
}

export interface PastFilter extends Filter {
  readonly decision: string | null;
  readonly by: 'me' | 'others' | null;
  readonly limit: number;
}

const COLUMNS = `l.request_id, l.owner, l.route, l.decision, l.audit, l.grant_state, l.execution, l.accepted_at,
  l.review_deadline, l.grant_deadline, l.receipt_id`;

const named = (id: string, alias: string) =>
  `json_build_object('id', ${id}, 'name', ${nameIn(alias)})`;
const receiptOf = (member: string) => `${jsonOf('s.record')} #>> '{payload,${member}}'`;

const FILTERED = `(:route::text IS NULL OR e.route = :route) AND (:producer::text IS NULL OR e.owner = :producer)`;

/** What is shown of each request of an answer, in the order of `place`. */
const ITEMS = `SELECT coalesce(json_agg(json_build_object(
    'id', e.request_id, 'summary', r.summary,
    'canonical', CASE WHEN r.summary LIKE '%${UNKEPT}%' THEN r.canonical END,
    'purpose', r.purpose, 'route', e.route, 'producer', ${named('e.owner', 'p')},
    'requester', ${named(requesterIn('r.canonical'), 'q')},
    'replaces', ${jsonOf('r.canonical')} ->> 'supersedes',
    'accepted_at', e.accepted_at, 'review_deadline', e.review_deadline, 'grant_deadline', e.grant_deadline,
    'decision', e.decision, 'audit', e.audit, 'grant_state', e.grant_state, 'execution', e.execution,
    'assignment', CASE WHEN a.expires_at > ${CLOCK} THEN
      json_build_object('reviewer', ${named('a.reviewer', 'b')}, 'expires_at', a.expires_at) END,
    'frozen', f.id IS NOT NULL,
    'outcome', CASE WHEN s.record IS NOT NULL THEN json_build_object('decision', ${receiptOf('decision')},
      'reviewer', ${named(receiptOf('reviewer'), 'd')}, 'confirmed_at', ${receiptOf('confirmed_at')}) END
    ) ORDER BY e.place), '[]')
  FROM page e ${keyed('request', 'r', 'x.id = e.request_id')} ${keyed('principal', 'p', 'x.id = e.owner')}
  ${keyed('principal', 'q', `x.id = ${requesterIn('r.canonical')}`)}
  ${keyed('assignment', 'a', `x.request_id = e.request_id AND e.decision = 'pending'`)}
  ${keyed('principal', 'b', 'x.id = a.reviewer')}
  ${keyed('candidate', 'f', `x.request_id = e.request_id AND x.reviewer = :reviewer AND x.live AND e.decision = 'pending'`)}
  ${keyed('record', 's', `x.id = e.receipt_id AND e.decision = 'confirmed'`)}
  ${keyed('principal', 'd', `x.id = ${receiptOf('reviewer')}`)}`;

/** How many of `matching` each has, with its name where it has one. */
const countsBy = (id: string, name: string) => `SELECT coalesce(json_agg(json_build_object(
    'id', g.id, 'name', g.name, 'count', g.count) ORDER BY g.id), '[]')
  FROM (SELECT e.${id} AS id, ${name} AS name, count(*) AS count FROM matching e GROUP BY 1) g`;

const ANSWER = `${NOW} AS now, t.fence_reason, EXISTS (SELECT FROM routes) AS reviews,
  (${ITEMS}) AS items, (${countsBy('route', 'NULL')}) AS routes, (${countsBy('owner', 'min(e.name)')}) AS producers
  FROM tenant t WHERE t.tenant = $1`;

/** On each route the next deadlines, of these the next ones; a request that the reader may not decide is left out. */
const OPEN = `${pendingReviews(COLUMNS, INBOX_SIZES.waiting + 1)},
  open AS MATERIALIZED (
    SELECT e.*, ${nameIn('p')} AS name, coalesce(a.reviewer = :reviewer AND a.expires_at > ${CLOCK}, false) AS mine
    FROM every e ${keyed('principal', 'p', 'x.id = e.owner')} ${keyed('assignment', 'a', 'x.request_id = e.request_id')}
    WHERE ${MAY_REVIEW}
  )`;
const COUNTS = `(SELECT count(*) FROM every)::float8 AS looked_at, (SELECT count(*) FROM open)::float8 AS waiting,
    (SELECT count(*) FROM open e WHERE e.mine)::float8 AS mine`;

const COUNT = statement('inbox.counts', `WITH ${OPEN} SELECT ${COUNTS} `);

const WAITING = statement(
  'inbox.waiting',
  `WITH ${OPEN},
  matching AS MATERIALIZED (
    SELECT e.* FROM open e ${SEARCHED} WHERE (e.mine OR NOT :mine::boolean) AND ${MATCHES}
  ),
  filtered AS MATERIALIZED (SELECT e.* FROM matching e WHERE ${FILTERED}),
  page AS MATERIALIZED (
    SELECT e.*, row_number() OVER (ORDER BY
      CASE :sort::text WHEN 'route' THEN e.route WHEN 'producer' THEN lower(coalesce(e.name, e.owner)) END,
      CASE :sort::text WHEN 'newest' THEN -extract(epoch FROM e.accepted_at)
        WHEN 'oldest' THEN extract(epoch FROM e.accepted_at) END,
      e.review_deadline, e.request_id) AS place
    FROM filtered e ORDER BY place LIMIT :limit::integer
  )
  SELECT ${COUNTS}, (SELECT count(*) FROM filtered)::float8 AS matching, ${ANSWER}`,
);

/** A page of requests that are over, in the order of `order`, and the place of one in it. */
function pastSql(found: string, order: string, place: string): string {
  return `WITH routes AS MATERIALIZED (${REVIEWED_ROUTES}),
  every AS MATERIALIZED (
    SELECT l.*, row_number() OVER (ORDER BY ${order}) AS place FROM routes v CROSS JOIN LATERAL (${found}) l
    ORDER BY place LIMIT ${INBOX_SIZES.past}
  ),
  matching AS MATERIALIZED (
    SELECT e.*, ${nameIn('p')} AS name FROM every e ${SEARCHED} ${keyed('record', 's', 'x.id = e.receipt_id')}
    WHERE ${MATCHES} AND (:decision::text IS NULL OR ${receiptOf('decision')} = :decision)
      AND (:by::text IS NULL OR (${receiptOf('reviewer')} = :reviewer) = (:by = 'me'))
  ),
  page AS MATERIALIZED (SELECT e.* FROM matching e WHERE ${FILTERED} ORDER BY e.place LIMIT :limit::integer)
  SELECT (SELECT count(*) FROM every)::float8 AS looked_at,
    (SELECT ${place} FROM every l ORDER BY l.place DESC LIMIT 1) AS last_looked_at,
    (SELECT ${place} FROM page l ORDER BY l.place DESC LIMIT 1) AS last_shown, ${ANSWER}`;
}

const DECIDED = statement(
  'inbox.decided',
  pastSql(
    `SELECT ${COLUMNS} FROM lifecycle l WHERE l.tenant = $1 AND l.route = v.route AND l.receipt_id IS NOT NULL
      AND ${isShown('l')} AND l.receipt_id < :before::uuid ORDER BY l.receipt_id DESC LIMIT ${INBOX_SIZES.past}`,
    'l.receipt_id DESC',
    'l.receipt_id::text',
  ),
);

const BEFORE = `to_timestamp(:at::float8 / 1000)`;
const ENDED = statement(
  'inbox.ended',
  pastSql(
    `SELECT g.* FROM unnest(ARRAY['${INBOX_ENDS.join("', '")}']) AS d (decision) CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM lifecycle l WHERE l.tenant = $1 AND l.route = v.route AND l.decision = d.decision AND l.decision <> ''
        AND ${isShown('l')} AND l.accepted_at <= ${BEFORE} AND (l.accepted_at < ${BEFORE} OR l.request_id > :before::uuid)
      ORDER BY l.accepted_at DESC, l.request_id LIMIT ${INBOX_SIZES.past}
    ) g`,
    'l.accepted_at DESC, l.request_id',
    `floor(extract(epoch FROM l.accepted_at) * 1000)::text || '/' || l.request_id`,
  ),
);

export const INBOX = { COUNT, WAITING, DECIDED, ENDED } as const;

export class InboxStore {
  constructor(private readonly pool: Pool) {}

  async waiting(caller: CallerIdentity, filter: WaitingFilter): Promise<WaitingRows> {
    return this.one(WAITING, { tenant: caller.tenant, reviewer: caller.id, ...filter });
  }

  /** How many wait, and how many of them the reader has taken. */
  async counts(caller: CallerIdentity): Promise<WaitingCounts> {
    return this.one(COUNT, { tenant: caller.tenant, reviewer: caller.id });
  }

  /** The newest decisions first. `before`: the id of a receipt. */
  async decided(caller: CallerIdentity, filter: PastFilter, before: string): Promise<PastRows> {
    return this.one(DECIDED, { tenant: caller.tenant, reviewer: caller.id, before, ...filter });
  }

  /** The newest first by their acceptance. */
  async ended(caller: CallerIdentity, filter: PastFilter, behind: Behind): Promise<PastRows> {
    const { at, id: before } = behind;
    return this.one(ENDED, { tenant: caller.tenant, reviewer: caller.id, at, before, ...filter });
  }

  private async one<Row extends object>(of: Statement, values: Values): Promise<Row> {
    const { rows } = await ask<Row>(this.pool, of, values);
    return rows[0] as Row;
  }
}
