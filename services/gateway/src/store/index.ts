import type { CallerKind } from '@countersign/protocol';
import { ROLES, acrossTenants, ask, ofNoTenant, statements } from '@countersign/database';
import type { Pool, Statement, Values } from '@countersign/database';

import { IDLE_SECONDS } from '../cookies.js';
import { loginStore } from './logins.js';
import { notificationStore } from './notifications.js';
import type { Rows } from './rows.js';
import { securityEventStore } from './security-events.js';
import { LIVE, sessionStore } from './sessions.js';

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

/** Of a caller, whose tenant the answer names. */
const OF_CALLER = { about: 'all', pointQuery: true } as const;

export const CALLERS = statements('gateway', {
  principalOfToken: {
    ...OF_CALLER,
    text: `SELECT ${principalColumns}, CASE WHEN ${BESIDE_PREVIOUS} THEN :digest ELSE c.id::text END AS credential,
      extract(epoch FROM c.expires_at - clock_timestamp())::float8 AS "secondsLeft"
    FROM (
      SELECT tenant, principal, id, expires_at FROM credential WHERE digest = :digest
      UNION ALL
      SELECT tenant, principal, former_id, former_until FROM credential WHERE former_digest = :digest
    ) c ${keyed('c')}
    WHERE (c.expires_at IS NULL OR c.expires_at > clock_timestamp()) AND p.enabled AND p.kind <> 'human'`,
  },
  session: {
    ...OF_CALLER,
    text: `SELECT ${principalColumns}, p.config ->> 'name' AS name, s.csrf, s.acr,
      extract(epoch FROM clock_timestamp() - s.proved_at)::float8 AS "provedAgo",
      s.last_seen_at < clock_timestamp() - interval '1 minute' AS stale
    FROM session s ${keyed('s')} WHERE s.digest = :digest AND ${LIVE}`,
  },
  // Rows in one order, so that two replicas never wait for each other.
  addHttpCounts: acrossTenants(`INSERT INTO http_count AS h (tenant, total, failures, conflicts)
    SELECT * FROM unnest(:tenants::text[], :totals::bigint[], :failures::bigint[], :conflicts::bigint[])
      AS c (tenant, total, failures, conflicts)
    ORDER BY c.tenant
    ON CONFLICT (tenant) DO UPDATE SET total = h.total + EXCLUDED.total,
      failures = h.failures + EXCLUDED.failures, conflicts = h.conflicts + EXCLUDED.conflicts`),
  probe: ofNoTenant('SELECT 1'),
});

export type { Pool } from '@countersign/database';
export type Store = ReturnType<typeof createStore>;

/**
 * The gateway's only SQL, with store/: who calls, sessions, login attempts and its own metrics. Secrets come in as digests, and
 * time is the database's clock; equality with a deadline counts as expired.
 */
export function createStore(pool: Pool, idleSeconds = IDLE_SECONDS) {
  // A database that hangs must not hold callers: they get their 503 in time.
  const rows: Rows = async <Row extends object>(of: Statement, values: Values) =>
    (await ask<Row>(pool, of, values, { query_timeout: ANSWER_WITHIN_MS })).rows;

  return {
    ...loginStore(rows),
    ...notificationStore(rows),
    ...securityEventStore(rows),
    ...sessionStore(rows, idleSeconds),

    /** The enabled principal behind a bearer token that has not expired. */
    async principalOfToken(digest: string): Promise<TokenHolder | null> {
      const [found] = await rows<TokenHolder>(CALLERS.principalOfToken, { digest });
      return found ?? null;
    },

    /** The enabled person behind a live session. */
    async session(digest: string): Promise<KnownSession | null> {
      const values = { digest, idle_seconds: idleSeconds };
      const [found] = await rows<KnownSession>(CALLERS.session, values);
      return found ?? null;
    },

    /** Adds to the metrics of each tenant. */
    async addHttpCounts(counts: readonly HttpCount[]): Promise<void> {
      await rows(CALLERS.addHttpCounts, {
        tenants: counts.map(({ tenant }) => tenant),
        totals: counts.map(({ total }) => total),
        failures: counts.map(({ failures }) => failures),
        conflicts: counts.map(({ conflicts }) => conflicts),
      });
    },

    /** Resolves when the storage answers. */
    async probe(): Promise<void> {
      await rows(CALLERS.probe, {});
    },
  };
}
