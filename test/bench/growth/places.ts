import type pg from 'pg';
import type { Ground } from './ground.js';
import { SHARES } from './templates.js';
import type { Kind } from './templates.js';

/** Of the measured producer beside its share, so that every list has a full page at every size. */
const PAGE = 60;
/** Owners beside the measured one. */
const OTHERS = 19;
/** Routes beside the two that the measured reviewer reviews. */
const OTHER_ROUTES = 8;
/** How long ago the oldest request was accepted: pending ones have some hours yet. */
const HOURS = 20;
/** Entries of one checkpoint. */
export const CHECKPOINT_EVERY = 50;

/**
 * The tables of the plan by which rows are copied, in a schema of its own: `template` and the chain entries of each,
 * and `place`, one row for each request that is to be.
 */
export async function makePlaces(
  ground: Ground,
  templates: Readonly<Record<Kind, string>>,
  requests: number,
  wanted: { readonly claimable: number } | null,
): Promise<void> {
  const { database, tenant, producer } = ground;
  await database.query(SCHEMA);
  for (const [kind, id] of Object.entries(templates)) {
    await database.query('INSERT INTO growth.template (kind, id) VALUES ($1, $2)', [kind, id]);
  }
  await database.query(ENTRIES, [tenant]);
  const extras = wanted === null ? [] : extrasOf(wanted.claimable);
  await database.query(DRAWN, [
    requests - extras.length,
    extras,
    Object.keys(SHARES),
    cumulative(Object.values(SHARES)),
  ]);
  await database.query(PLACES, [tenant, producer.id]);
  await database.query('ALTER TABLE growth.place ADD PRIMARY KEY (place)');
  await database.query('ANALYZE growth.place, growth.template, growth.template_entry');
}

export async function dropPlaces(database: pg.Client): Promise<void> {
  await database.query('DROP SCHEMA growth CASCADE');
}

function extrasOf(claimable: number): Kind[] {
  const kinds: Kind[] = ['pending', 'approved', 'cancelled', 'expired', 'superseded'];
  return [
    ...kinds.flatMap((kind) => Array.from({ length: PAGE }, () => kind)),
    ...Array.from({ length: claimable }, () => 'available' as const),
  ];
}

/** Shares of a thousand, summed up. */
function cumulative(shares: readonly number[]): number[] {
  let sum = 0;
  return shares.map((share) => (sum += share) / 1000);
}

const SCHEMA = `
CREATE SCHEMA growth;
CREATE TABLE growth.template (kind text PRIMARY KEY, id uuid NOT NULL, entries integer, events integer);
CREATE TABLE growth.template_entry (template uuid, record_id uuid, sequence bigint PRIMARY KEY, ordinal integer,
  event_ordinal integer);
-- An id that belongs to the request \`place\` as \`id\` belongs to its template: version 7, of the same time as the request's.
CREATE FUNCTION growth.derived(id uuid, place uuid) RETURNS uuid IMMUTABLE STRICT LANGUAGE sql AS $$
  SELECT (left(place::text, 14) || '7' || substr(m, 1, 3) || '-8' || substr(m, 4, 3) || '-' || substr(m, 7, 12))::uuid
  FROM md5(id::text || place::text) AS m
$$;
CREATE FUNCTION growth.id_of(at timestamptz) RETURNS uuid VOLATILE LANGUAGE sql AS $$
  SELECT (substr(t, 1, 8) || '-' || substr(t, 9, 4) || '-7' || substr(m, 1, 3) || '-8' || substr(m, 4, 3) || '-'
    || substr(m, 7, 12))::uuid
  FROM lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') AS t, md5(gen_random_uuid()::text) AS m
$$;`;

/** Each template's entries of the chain and events of its owner, counted from one. */
const ENTRIES = `
WITH e AS (
  INSERT INTO growth.template_entry
  SELECT t.id, e.record_id, e.sequence, row_number() OVER (PARTITION BY t.id ORDER BY e.sequence),
    CASE WHEN v.record_id IS NOT NULL
      THEN row_number() OVER (PARTITION BY t.id, v.record_id IS NOT NULL ORDER BY e.sequence) END
  FROM growth.template t JOIN ledger_entry e ON e.tenant = $1 AND e.request_id = t.id
  LEFT JOIN event v ON v.tenant = $1 AND v.request_id = t.id AND v.record_id = e.record_id
  RETURNING template, event_ordinal
)
UPDATE growth.template SET entries = c.entries, events = c.events
FROM (SELECT template, count(*) AS entries, count(event_ordinal) AS events FROM e GROUP BY template) c
WHERE c.template = template.id`;

/** $1 requests by lot, $2 kinds of those beside, which are the measured producer's, $3 kinds with $4 their summed shares. */
const DRAWN = `
CREATE UNLOGGED TABLE growth.drawn AS
SELECT CASE WHEN r.mine THEN 0 ELSE floor(random() * ${OTHERS + 1})::integer END AS owner,
  CASE WHEN r.mine THEN 0 ELSE floor(random() * (${OTHER_ROUTES} + 3))::integer END AS route,
  coalesce(r.kind, (SELECT k.kind FROM unnest($3::text[], $4::float8[]) AS k (kind, upto) WHERE r.lot < k.upto
    ORDER BY k.upto LIMIT 1)) AS kind,
  now() - random() * interval '${HOURS} hours' AS at
FROM (
  SELECT NULL::text AS kind, random() AS lot, false AS mine FROM generate_series(1, $1::integer)
  UNION ALL SELECT kind, 0, true FROM unnest($2::text[]) AS kind
) r`;

/** In the order of time. $1 tenant, $2 measured producer. */
const PLACES = `
CREATE UNLOGGED TABLE growth.place AS
WITH d AS (
  SELECT row_number() OVER (ORDER BY d.at) AS place, t.id AS template, t.entries, t.events, d.at, d.at - l.accepted_at AS shift,
    CASE WHEN d.owner = 0 THEN $2 ELSE 'growth-owner-' || d.owner END AS owner,
    CASE WHEN d.route < 3 THEN l.route ELSE 'growth-route-' || d.route END AS route
  FROM growth.drawn d JOIN growth.template t ON t.kind = d.kind
  JOIN lifecycle l ON l.tenant = $1 AND l.request_id = t.id
)
SELECT d.place, growth.id_of(d.at) AS id, d.template, d.owner, d.route, d.shift,
  h.sequence + sum(d.entries) OVER (ORDER BY d.place) - d.entries AS entries_before,
  coalesce(v.sequence, 0) + sum(d.events) OVER (PARTITION BY d.owner ORDER BY d.place) - d.events AS events_before
FROM d CROSS JOIN ledger_head h LEFT JOIN event_head v ON v.tenant = $1 AND v.owner = d.owner
WHERE h.tenant = $1`;
