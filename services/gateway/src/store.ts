import type { CallerKind } from '@countersign/protocol';
import type { Pool } from '@countersign/database';
import type { QueryConfig } from 'pg';

import { LOGIN_SECONDS, SESSION_SECONDS } from './cookies.js';
import type { HttpCount } from './http-counts.js';

/** A principal as far as the edge has to know it; services look again in their own transaction. */
export interface KnownPrincipal {
  readonly tenant: string;
  readonly principal: string;
  readonly kind: CallerKind;
  /** Powers that only a human's configuration tells (R2). */
  readonly operator: boolean;
  readonly publisher: boolean;
}

export interface KnownSession extends KnownPrincipal {
  readonly csrf: string;
  /** What the directory calls this person. */
  readonly name: string | null;
  /** How long ago the identity provider last saw a proof, seconds; null when it did not say. */
  readonly provedAgo: number | null;
  /** The provider's name for how (`acr`). */
  readonly acr: string | null;
}

export interface LoginAttempt {
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly returnTo: string;
  /** See `sessionState`. */
  readonly sessionState: string | null;
}

export interface Person {
  readonly tenant: string;
  readonly principal: string;
  readonly identityCertain: boolean;
}

export interface NewSession {
  readonly digest: string;
  readonly tenant: string;
  readonly principal: string;
  readonly csrf: string;
  /** `auth_time` of the ID token, epoch seconds; null when there was none. */
  readonly provedAt: number | null;
  readonly acr: string | null;
}

const ANSWER_WITHIN_MS = 5_000;

const principalColumns = `p.tenant, p.id AS principal, p.kind,
  coalesce(p.config -> 'operator' = 'true'::jsonb, false) AS operator,
  p.config ->> 'publisher' IS NOT NULL AS publisher`;

/** The principal of a row that names one, looked up by its key whatever Postgres knows of the table's size. */
const keyed = (of: string) =>
  `CROSS JOIN LATERAL (SELECT x.* FROM principal x WHERE x.tenant = ${of}.tenant AND x.id = ${of}.principal LIMIT 1) p`;

export type { Pool } from '@countersign/database';
export type Store = ReturnType<typeof createStore>;

/**
 * The gateway's only SQL: who calls, sessions, login attempts and its own figures. Secrets come in as digests, and
 * time is the database's clock; equality with a deadline counts as expired.
 */
export function createStore(pool: Pool) {
  async function rows<Row extends object>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    // A database that hangs must not hold callers: they get their 503 in time.
    const query = {
      name: `gateway.${name}`,
      text,
      values: [...values],
      query_timeout: ANSWER_WITHIN_MS,
    };
    const result = await pool.query<Row>(query as QueryConfig);
    return result.rows;
  }

  /** Of whoever calls: such questions travel together. */
  async function caller<Row extends object>(
    name: string,
    text: string,
    digest: string,
  ): Promise<Row | null> {
    const asked = { name: `gateway.${name}`, text, values: [digest] };
    const { rows: found } = await pool.brief<Row>({ ...asked, query_timeout: ANSWER_WITHIN_MS });
    return found[0] ?? null;
  }

  return {
    /** The enabled principal behind a bearer token. */
    async principalOfToken(digest: string): Promise<KnownPrincipal | null> {
      return caller<KnownPrincipal>(
        'principal-of-token',
        `SELECT ${principalColumns}
         FROM credential c ${keyed('c')}
         WHERE c.digest = $1 AND p.enabled AND p.kind <> 'human'`,
        digest,
      );
    },

    /** The enabled human behind a live session. */
    async session(digest: string): Promise<KnownSession | null> {
      return caller<KnownSession>(
        'session',
        `SELECT ${principalColumns}, p.config ->> 'name' AS name, s.csrf, s.acr,
           extract(epoch FROM clock_timestamp() - s.proved_at)::float8 AS "provedAgo"
         FROM session s ${keyed('s')}
         WHERE s.digest = $1 AND s.expires_at > clock_timestamp() AND p.enabled AND p.kind = 'human'`,
        digest,
      );
    },

    /**
     * What a browser's session cookie stands for now: null without one, else whether it is alive
     * and which. Two equal answers mean that nobody logged in or out between them.
     */
    async sessionState(digest: string | null): Promise<string | null> {
      if (digest === null) return null;
      const found = await rows(
        'session-state',
        'SELECT FROM session WHERE digest = $1 AND expires_at > clock_timestamp()',
        [digest],
      );
      return `${found.length > 0 ? 'live' : 'dead'} ${digest}`;
    },

    async endSession(digest: string): Promise<void> {
      await rows('end-session', 'DELETE FROM session WHERE digest = $1', [digest]);
    },

    /**
     * Replaces the attempt of a browser that already has a login cookie, whatever became of that
     * attempt, and so invalidates its callback. False when there is none to replace.
     */
    async restartLogin(digest: string, stateDigest: string, next: LoginAttempt): Promise<boolean> {
      const replaced = await rows(
        'restart-login',
        `UPDATE login_attempt SET state = $2, nonce = $3, code_verifier = $4, return_to = $5, session_digest = $6,
           created_at = clock_timestamp(), claimed_at = NULL,
           expires_at = clock_timestamp() + make_interval(secs => ${LOGIN_SECONDS})
         WHERE digest = $1 AND expires_at > clock_timestamp() RETURNING digest`,
        [digest, stateDigest, next.nonce, next.codeVerifier, next.returnTo, next.sessionState],
      );
      return replaced.length > 0;
    },

    async startLogin(digest: string, stateDigest: string, next: LoginAttempt): Promise<void> {
      await rows(
        'start-login',
        `INSERT INTO login_attempt (digest, state, nonce, code_verifier, return_to, session_digest, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp(),
           clock_timestamp() + make_interval(secs => ${LOGIN_SECONDS}))`,
        [digest, stateDigest, next.nonce, next.codeVerifier, next.returnTo, next.sessionState],
      );
    },

    /** Takes the attempt, once and for ever; null when it is unknown, over or already taken. */
    async claimLogin(digest: string, stateDigest: string): Promise<LoginAttempt | null> {
      const [claimed] = await rows<LoginAttempt>(
        'claim-login',
        `UPDATE login_attempt SET claimed_at = clock_timestamp()
         WHERE digest = $1 AND state = $2 AND claimed_at IS NULL AND expires_at > clock_timestamp()
         RETURNING nonce, code_verifier AS "codeVerifier", return_to AS "returnTo", session_digest AS "sessionState"`,
        [digest, stateDigest],
      );
      return claimed ?? null;
    },

    /** Enabled humans with that identity over all tenants; two are enough to refuse. */
    async people(issuer: string, subject: string): Promise<Person[]> {
      return rows<Person>(
        'people',
        `SELECT tenant, id AS principal, coalesce(config -> 'identity_certain' <> 'false'::jsonb, true) AS "identityCertain"
         FROM principal WHERE oidc_issuer = $1 AND oidc_subject = $2 AND kind = 'human' AND enabled LIMIT 2`,
        [issuer, subject],
      );
    },

    /**
     * One statement turns a claimed attempt into a session and retires the session it started
     * from. `superseded`: another login took the attempt's place; `session_changed`: the old
     * session ended meanwhile. Either way no session is made.
     */
    async finishLogin(
      loginDigest: string,
      stateDigest: string,
      retired: string | null,
      made: NewSession,
    ): Promise<'done' | 'superseded' | 'session_changed'> {
      const [outcome] = await rows<{ attempt: boolean; made: boolean }>(
        'finish-login',
        `WITH attempt AS (
           DELETE FROM login_attempt WHERE digest = $1 AND state = $2 AND claimed_at IS NOT NULL RETURNING digest
         ), old AS (
           DELETE FROM session WHERE digest = $3 AND expires_at > clock_timestamp() AND EXISTS (SELECT FROM attempt)
           RETURNING digest
         ), made AS (
           INSERT INTO session (digest, tenant, principal, csrf, authenticated_at, expires_at, proved_at, acr)
           SELECT $4, $5, $6, $7, clock_timestamp(), clock_timestamp() + make_interval(secs => ${SESSION_SECONDS}),
             -- A provider whose clock is ahead makes no login fresher than now.
             least(to_timestamp($8::float8), clock_timestamp()), $9
           FROM attempt WHERE $3::text IS NULL OR EXISTS (SELECT FROM old)
           RETURNING digest
         )
         SELECT EXISTS (SELECT FROM attempt) AS attempt, EXISTS (SELECT FROM made) AS made`,
        [
          ...[loginDigest, stateDigest, retired, made.digest, made.tenant, made.principal],
          ...[made.csrf, made.provedAt, made.acr],
        ],
      );
      if (!outcome?.attempt) return 'superseded';
      return outcome.made ? 'done' : 'session_changed';
    },

    /** Adds to the figures of each tenant; rows in one order, so that two replicas never wait for each other. */
    async addHttpCounts(counts: readonly HttpCount[]): Promise<void> {
      await rows(
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
      await rows('probe', 'SELECT 1', []);
    },
  };
}
