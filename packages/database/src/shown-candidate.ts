import { jsonOf, keyed } from './request-row.js';

/**
 * `c.candidate`: the candidate that the caller may see. It is the confirmed one, else the newest that `whose`, a condition
 * on the candidate `x`, holds for. The owner sees none before the request is decided (R39): who knows an answer that is not
 * signed yet could withdraw the request, and so shop for a decision without leaving a trace.
 */
export function shownCandidate(whose = 'true'): string {
  return `${keyed('record', 'd', 'x.id = l.receipt_id')}
  LEFT JOIN LATERAL (
    SELECT x.candidate FROM candidate x WHERE x.tenant = $1 AND x.request_id = :request_id AND x.live AND ${whose}
      AND (l.owner <> :caller OR l.decision = 'confirmed')
    ORDER BY (x.digest = ${jsonOf('d.record')} -> 'payload' ->> 'candidate_digest') DESC, x.created_at DESC, x.revision DESC
    LIMIT 1
  ) c ON true`;
}
