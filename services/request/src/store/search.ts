import { jsonOf, keyed } from '@countersign/database';

// The search for requests by words, of the inbox and of the operators' list: in the summary, the ids and the names.

export const nameIn = (alias: string): string => `${alias}.config ->> 'name'`;
export const requesterIn = (canonical: string): string =>
  `${jsonOf(canonical)} #>> '{requester,subject}'`;

/** Requests are read here for a search alone: otherwise only those of the answer are. */
export const SEARCHED = `${keyed('principal', 'p', 'x.id = e.owner')}
  ${keyed('request', 'r', 'x.id = e.request_id AND cardinality(:words::text[]) > 0')}
  ${keyed('principal', 'q', `x.id = ${requesterIn('r.canonical')}`)}`;
/** Each word comes in several spellings, apart by spaces: Postgres may know the small letters of ASCII alone. */
export const MATCHES = `NOT EXISTS (SELECT FROM unnest(:words::text[]) AS w (spellings)
    CROSS JOIN (SELECT lower(o.text) || ' ' || o.text AS text FROM (SELECT concat_ws(' ', r.summary, e.request_id, e.route,
      e.owner, ${nameIn('p')}, ${requesterIn('r.canonical')}, ${nameIn('q')}) AS text) o) h
    WHERE NOT EXISTS (SELECT FROM unnest(string_to_array(w.spellings, ' ')) AS f (spelling) WHERE strpos(h.text, f.spelling) > 0))`;
