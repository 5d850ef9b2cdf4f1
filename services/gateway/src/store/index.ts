import type { CallerKind } from '@countersign/protocol';
import { ROLES } from '@countersign/database';
import type { Pool } from '@countersign/database';
import type { QueryConfig } from 'pg';

import { IDLE_SECONDS } from '../cookies.js';
import { loginStore } from './logins.js';
import { isPerson } from './person.js';
import type { Rows } from './rows.js';
import { securityEventStore } from './security-events.js';
import { sessionStore } from './sessions.js';

/** A principal as far as the edge has to know it; services look again in their own transaction. */
export interface KnownPrincipal {
  readonly tenant: string;
  readonly principal: string;
  readonly kind: CallerKind;
  /** Powers that only a human's configuration tells (R2). */
  readonly operator: boolean;
  readonly publisher: boolean;
}

export interface TokenHolder extends KnownPrincipal {
  /** The id by which services know the token. */
  readonly credential: string;
  /** Null when it does not expire. */
  readonly secondsLeft: number | null;
}

export interface KnownSession extends KnownPrincipal {
  readonly csrf: string;
  /** This person's name in the directory. */
  readonly name: string | null;
  /** How long ago the identity provider last saw a proof, seconds; null when it did not say. */
  readonly provedAgo: number | null;
  /** The provider's name for how (`acr`). */
  readonly acr: string | null;
  /** Its use was not written down in the last minute. */
  readonly stale: boolean;
}

/** Answers to authenticated callers of one tenant: all, those of status 400 and above, those of 409. */
export interface HttpCount {
  readonly tenant: string;
  readonly total: number;
  readonly failures: number;
  readonly conflicts: number;
}

/** While services may read digests, some of them may be of the release before, which compares them (docs/upgrades.md). */
const BESIDE_PREVIOUS = `has_column_privilege('${ROLES.review}', 'credential', 'digest', 'SELECT')`;

const ANSWER_WITHIN_MS = 5_000;

const principalColumns = `p.tenant, p.id AS principal, p.kind,
  coalesce(p.config -> 'operator' = 'true'::jsonb, false) AS operator,
  p.config ->> 'publisher' IS NOT NULL AS publisher`;

/** The principal of a row that names one, looked up by its key even if Postgres has no statistics of the table. */
const keyed = (of: string) =>
  `CROSS JOIN LATERAL (SELECT x.* FROM principal x WHERE x.tenant = ${of}.tenant AND x.id = ${of}.principal LIMIT 1) p`;

export type { Pool } from '@countersign/database';
export type Store = ReturnType<typeof createStore>;

/**
 * The gateway's only SQL, with store/: who calls, sessions, login attempts and its own metrics. Secrets come in as digests, and
 * time is the database's clock; equality with a deadline counts as expired.
 */
export function createStore(pool: Pool, idleSeconds = IDLE_SECONDS) {
  const rows: Rows = async (scoped, name, text, values) => {
    // A database that hangs must not hold callers: they get their 503 in time.
    const query = {
      name: `gateway.${name}`,
      text,
      values: [...values],
      query_timeout: ANSWER_WITHIN_MS,
    };
    const result = await scoped.query(query as QueryConfig);
    return result.rows as never[];
  };
  /** Of a session `s`. */
  const lapsed = `(s.expires_at <= clock_timestamp()
    OR s.last_seen_at <= clock_timestamp() - interval '${idleSeconds} seconds')`;
  /** Of a session `s` and its principal `p`. */
  const live = `NOT ${lapsed}
    AND s.authenticated_at > coalesce(p.sessions_valid_from, '-infinity') AND p.enabled AND ${isPerson('p')}`;

  /** Of a caller, whose tenant the answer names. Such statements are sent in batches. */
  async function caller<Row extends object>(
    name: string,
    text: string,
    digest: string,
  ): Promise<Row | null> {
    const asked = { name: `gateway.${name}`, text, values: [digest] };
    const { rows: found } = await pool.acrossTenants.pointQuery<Row>({
      ...asked,
      query_timeout: ANSWER_WITHIN_MS,
    });
    return found[0] ?? null;
  }

  return {
    ...loginStore(pool, rows),
    ...securityEventStore(pool, rows),
    ...sessionStore(pool, rows, live, lapsed),

    /** The enabled principal behind a bearer token that has not expired. */
    async principalOfToken(digest: string): Promise<TokenHolder | null> {
      return caller<TokenHolder>(
        'principal-of-token',
        `SELECT ${principalColumns}, CASE WHEN ${BESIDE_PREVIOUS} THEN $1 ELSE c.id::text END AS credential,
           extract(epoch FROM c.expires_at - clock_timestamp())::float8 AS "secondsLeft"
         FROM (
           SELECT tenant, principal, id, expires_at FROM credential WHERE digest = $1
           UNION ALL
           SELECT tenant, principal, former_id, former_until FROM credential WHERE former_digest = $1
         ) c ${keyed('c')}
         WHERE (c.expires_at IS NULL OR c.expires_at > clock_timestamp()) AND p.enabled AND p.kind <> 'human'`,
        digest,
      );
    },

    /** The enabled person behind a live session. */
    async session(digest: string): Promise<KnownSession | null> {
      return caller<KnownSession>(
        'session',
        `SELECT ${principalColumns}, p.config ->> 'name' AS name, s.csrf, s.acr,
           extract(epoch FROM clock_timestamp() - s.proved_at)::float8 AS "provedAgo",
           s.last_seen_at < clock_timestamp() - interval '1 minute' AS stale
         FROM session s ${keyed('s')} WHERE s.digest = $1 AND ${live}`,
        digest,
      );
    },

    /** Adds to the metrics of each tenant; rows in one order, so that two replicas never wait for each other. */
    async addHttpCounts(counts: readonly HttpCount[]): Promise<void> {
      await rows(
        pool.acrossTenants,
        'add-http-counts',
        `INSERT INTO http_count AS h (tenant, total, failures, conflicts)
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) AS c (tenant, total, failures, conflicts)
         ORDER BY c.tenant
         ON CONFLICT (tenant) DO UPDATE SET total = h.total + EXCLUDED.total,
           failures = h.failures + EXCLUDED.failures, conflicts = h.conflicts + EXCLUDED.conflicts`,
        [
          counts.map(({ tenant }) => tenant),
          counts.map(({ total }) => total),
          counts.map(({ failures }) => failures),
          counts.map(({ conflicts }) => conflicts),
        ],
      );
    },

    /** Resolves when the storage answers. */
    async probe(): Promise<void> {
      await rows(pool.ofNoTenant, 'probe', 'SELECT 1', []);
    },
  };
}
