import { FIGURE_SIZES } from '@countersign/protocol';
import type {
  PersonFigures,
  ReviewConcerns,
  ReviewFigures,
  RouteFigures,
} from '@countersign/protocol';
import { CLOCK, ask, isShown, jsonOf, keyed, statement } from '@countersign/database';
import type { Pool } from '@countersign/database';

// Figures of the operators' overview (decisions/0027), out of the requests that are kept.

interface BucketRow extends ReviewFigures {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly waiting: number;
}

export interface FiguresRow {
  readonly from: number;
  readonly to: number;
  readonly complete_from: number | null;
  readonly buckets: readonly BucketRow[];
  readonly routes: readonly RouteFigures[];
  readonly people: readonly PersonFigures[];
}

const { requests: MOST, decisions: DETAILED, quick: QUICK } = FIGURE_SIZES;
/** The longest time that a request can wait (protocol §3.2). */
const LONGEST = `interval '1 day'`;
const STATES = `ARRAY['pending', 'confirmed', 'cancelled', 'expired', 'superseded']`;
/** The time in an id that the service made (RFC 9562 §5.7). */
const timeOf = (id: string) =>
  `to_timestamp(('x' || substr(replace(${id}::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0)`;
const seconds = (from: string, to: string) => `extract(epoch FROM ${to} - ${from})`;
const milliseconds = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::float8`;
const APPROVED = `('authorise', 'approve', 'answer')`;

/** The event by which a request was cancelled or replaced; it is among its first. */
const WITHDRAWN_AT = `(SELECT min(e.issued_at) FROM (SELECT y.issued_at, y.record FROM record y
    WHERE y.tenant = $1 AND y.request_id = b.request_id AND y.type = 'RequestChangedEvent' ORDER BY y.id LIMIT 16) e
  WHERE ${jsonOf('e.record')} #>> '{payload,state,decision}' = b.decision)`;

/** How a set of requests ended within a stretch of time. */
const figures = (from: string, to: string) => {
  const within = (time: string) => `e.${time} >= ${from} AND e.${time} < ${to}`;
  const ended = (more: string) =>
    `count(*) FILTER (WHERE ${within('ended_at')} AND ${more})::float8`;
  const decided = `${within('ended_at')} AND e.decision = 'confirmed'`;
  const percentile = (part: number) =>
    `percentile_cont(${part}) WITHIN GROUP (ORDER BY ${seconds('e.accepted_at', 'e.ended_at')}) FILTER (WHERE ${decided})`;
  return `'arrivals', count(*) FILTER (WHERE ${within('accepted_at')})::float8,
    'decided', ${ended(`e.decision = 'confirmed'`)},
    'approved', ${ended(`e.said IN ${APPROVED}`)}, 'refused', ${ended(`e.said IN ('refuse', 'reject')`)},
    'expired', ${ended(`e.decision IN ('pending', 'expired')`)},
    'withdrawn', ${ended(`e.decision IN ('cancelled', 'superseded')`)},
    'p50', ${percentile(0.5)}, 'p90', ${percentile(0.9)}`;
};

const FIGURES_OF = statement(
  'figures.read',
  `WITH span AS MATERIALIZED (
    SELECT clock_timestamp() AS until, clock_timestamp() - make_interval(secs => :seconds::float8) AS since
  ), base AS MATERIALIZED (
    SELECT l.* FROM unnest(${STATES}) AS d (decision) CROSS JOIN LATERAL (
      SELECT x.request_id, x.owner, x.route, x.decision, x.accepted_at, x.review_deadline, x.receipt_id,
        row_number() OVER (ORDER BY x.accepted_at DESC) AS place
      FROM lifecycle x WHERE x.tenant = $1 AND x.decision = d.decision AND x.decision <> ''
        AND ${isShown('x')} AND x.accepted_at >= (SELECT since - ${LONGEST} FROM span)
      ORDER BY x.accepted_at DESC, x.request_id LIMIT ${MOST}
    ) l
  ), ends AS MATERIALIZED (
    SELECT b.*, CASE WHEN b.receipt_id IS NOT NULL THEN ${timeOf('b.receipt_id')}
      WHEN b.decision IN ('cancelled', 'superseded') THEN coalesce(${WITHDRAWN_AT}, b.review_deadline)
      WHEN b.review_deadline <= ${CLOCK} THEN b.review_deadline END AS ended_at
    FROM base b
  ), newest AS MATERIALIZED (
    SELECT b.request_id, b.receipt_id FROM ends b, span s WHERE b.receipt_id IS NOT NULL AND b.ended_at >= s.since
    ORDER BY b.receipt_id DESC LIMIT ${DETAILED}
  ), said AS MATERIALIZED (
    SELECT n.request_id, n.receipt_id, ${jsonOf('r.record')} #>> '{payload,decision}' AS said,
      ${jsonOf('r.record')} #>> '{payload,reviewer}' AS reviewer
    FROM newest n ${keyed('record', 'r', 'x.id = n.receipt_id')}
  ), every AS MATERIALIZED (
    SELECT b.*, s.said, s.reviewer FROM ends b LEFT JOIN said s ON s.request_id = b.request_id
  ), bucket AS MATERIALIZED (
    SELECT s.until - make_interval(secs => :seconds::float8 - b.at) AS first,
      s.until - make_interval(secs => :seconds::float8 - b.at - :step::float8) AS last
    FROM span s, generate_series(0, :seconds::integer - 1, :step::integer) AS b (at)
  ), timed AS MATERIALIZED (
    SELECT s.reviewer, s.said, ${seconds('c.created_at', timeOf('s.receipt_id'))} AS read
    FROM said s LEFT JOIN LATERAL (SELECT x.created_at FROM candidate x WHERE x.tenant = $1
      AND x.request_id = s.request_id AND x.reviewer = s.reviewer ORDER BY x.revision DESC LIMIT 1) c ON true
    WHERE s.reviewer IS NOT NULL
  )
  SELECT ${milliseconds('s.since')} AS from, ${milliseconds('s.until')} AS to,
    (SELECT ${milliseconds('max(b.accepted_at)')} FROM base b
      WHERE b.place = ${MOST} AND b.accepted_at >= s.since - ${LONGEST}) AS complete_from,
    (SELECT json_agg(x.row ORDER BY x.first) FROM (SELECT k.first, json_build_object('at', ${milliseconds('k.first')},
        ${figures('k.first', 'k.last')},
        'waiting', count(*) FILTER (WHERE e.accepted_at < k.last AND (e.ended_at IS NULL OR e.ended_at >= k.last))::float8)
        AS row FROM bucket k LEFT JOIN every e ON true GROUP BY k.first, k.last) x) AS buckets,
    (SELECT coalesce(json_agg(x.row ORDER BY x.route), '[]') FROM (SELECT e.route, json_build_object('id', e.route,
        ${figures('s.since', 's.until')}, 'waiting', count(*) FILTER (WHERE e.ended_at IS NULL)::float8,
        'reviewers', (SELECT count(*) FROM route_reviewer v ${keyed('principal', 'p', 'x.id = v.reviewer')}
          WHERE v.tenant = $1 AND v.route = e.route AND p.enabled)::float8) AS row
        FROM every e GROUP BY e.route) x) AS routes,
    (SELECT coalesce(json_agg(x.row ORDER BY x.reviewer), '[]') FROM (SELECT d.reviewer, json_build_object('id', d.reviewer,
        'name', (SELECT p.config ->> 'name' FROM principal p WHERE p.tenant = $1 AND p.id = d.reviewer),
        'decided', count(*)::float8, 'approved', count(*) FILTER (WHERE d.said IN ${APPROVED})::float8,
        'refused', count(*) FILTER (WHERE d.said IN ('refuse', 'reject'))::float8, 'timed', count(d.read)::float8,
        'read_p50', percentile_cont(0.5) WITHIN GROUP (ORDER BY d.read),
        'quick', count(*) FILTER (WHERE d.read < ${QUICK} AND d.said IN ${APPROVED})::float8) AS row
        FROM timed d GROUP BY d.reviewer) x) AS people
  FROM span s`,
);

/** Of the next deadlines so many are looked at. */
const DUE = 5_000;

const CONCERNS_OF = statement(
  'figures.concerns',
  `WITH due AS MATERIALIZED (
    SELECT x.request_id, x.review_deadline FROM lifecycle x WHERE x.tenant = $1 AND x.decision LIKE 'pending'
      AND x.review_deadline > ${CLOCK} AND x.review_deadline <= (SELECT clock_timestamp() + interval '1 hour')
    ORDER BY x.review_deadline LIMIT ${DUE}
  ), free AS MATERIALIZED (
    SELECT d.* FROM due d ${keyed('assignment', 'a', `x.request_id = d.request_id AND x.expires_at > ${CLOCK}`)}
    WHERE a.request_id IS NULL
  )
  SELECT (SELECT count(*) FROM free f WHERE f.review_deadline <= clock_timestamp() + interval '15 minutes')::float8 AS due_15m,
    (SELECT count(*) FROM free)::float8 AS due_60m,
    (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM route r WHERE r.tenant = $1
      AND jsonb_array_length(coalesce(r.config -> 'allowed_producers', '[]')) > 0
      AND (SELECT count(*) FROM route_reviewer v ${keyed('principal', 'p', 'x.id = v.reviewer')}
        WHERE v.tenant = $1 AND v.route = r.id AND p.enabled) <= 1) AS thin_routes`,
);

export const FIGURES = { FIGURES_OF, CONCERNS_OF } as const;

export type ConcernsRow = Pick<ReviewConcerns, 'due_15m' | 'due_60m' | 'thin_routes'>;

export class FiguresStore {
  constructor(private readonly pool: Pool) {}

  /** Both in seconds. */
  async read(tenant: string, span: { seconds: number; step: number }): Promise<FiguresRow> {
    const { rows } = await ask<FiguresRow>(this.pool, FIGURES_OF, { tenant, ...span });
    return rows[0] as FiguresRow;
  }

  async concerns(tenant: string): Promise<ConcernsRow> {
    const { rows } = await ask<ConcernsRow>(this.pool, CONCERNS_OF, { tenant });
    return rows[0] as ConcernsRow;
  }
}
