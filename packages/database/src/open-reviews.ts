import { CLOCK, keyed } from './request-row.js';

// The requests that wait for a person, `:reviewer`: as the inbox and the digest of mails read them.

/** By ids alone; `configured_by` has the people whose changes still count (protocol R38). */
const configuredBy = (entries: string) =>
  `EXISTS (SELECT FROM jsonb_each_text(${entries}) c WHERE c.value = :reviewer)`;

/** The routes that name the person; of each whether it separates duties, and whether the person configured it. */
export const REVIEWED_ROUTES = `SELECT n.route, coalesce(o.config -> 'separation_of_duties' = 'true'::jsonb, false) AS separates,
    ${configuredBy('o.configured_by')} AS configured
  FROM route_reviewer n ${keyed('route', 'o', 'x.id = n.route')}
  WHERE n.tenant = $1 AND n.reviewer = :reviewer`;

/**
 * Two tables of a WITH: `routes`, and of their pending requests the next deadlines as `every`, at most `most`.
 * `columns` are those of `lifecycle` as `l`, among them `request_id`, `owner` and `review_deadline`.
 */
export function pendingReviews(columns: string, most: number): string {
  return `routes AS MATERIALIZED (${REVIEWED_ROUTES}),
  every AS MATERIALIZED (
    SELECT l.*, v.separates, v.configured FROM routes v CROSS JOIN LATERAL (
      SELECT ${columns} FROM lifecycle l
      WHERE l.tenant = $1 AND l.route = v.route AND starts_with(l.decision, 'pending') AND l.review_deadline > ${CLOCK}
      ORDER BY l.review_deadline, l.request_id LIMIT ${most}
    ) l ORDER BY l.review_deadline, l.request_id LIMIT ${most}
  )`;
}

/**
 * Whether separation of duties (protocol R22, R38) leaves a row `e` of `every` to the person, as far as ids tell. `p` is
 * the principal of its producer.
 */
export const MAY_REVIEW = `NOT (e.separates AND (:reviewer IN (e.owner, coalesce(p.config ->> 'owner', '')) OR e.configured
  OR ${configuredBy('p.configured_by')}))`;
