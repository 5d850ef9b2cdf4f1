import type { Pool } from '@countersign/database';

import type { LogoutNotice } from '../login/logout-token.js';
import type { PersonEntry } from './person.js';
import type { Rows } from './rows.js';

/** A session as its person sees it; times are epoch milliseconds. */
export interface OwnSession {
  readonly id: string;
  readonly since: number;
  readonly lastUsed: number;
  readonly expires: number;
  readonly current: boolean;
}

/** A session that has just been ended. */
export interface EndedSession extends PersonEntry {
  readonly id: string;
}

/** Longer than a logout token is accepted for (login/logout-token.ts). */
const TOKEN_KEPT = `interval '15 minutes'`;
/** Ends the sessions that `which` finds, and notes of each for the security log how it ended. */
const ending = (how: string, which: string) => `WITH ended AS (
    DELETE FROM session WHERE ${which} RETURNING tenant, principal, id
  ), noted AS (
    ${noted(how)}
  ) SELECT tenant, principal, id FROM ended`;
/** Notes for the security log of the sessions in the statement's part `ended` how they ended. */
export const noted = (
  how: string,
) => `INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
    SELECT p.tenant, 'session.ended', p.id, p.kind, p.id, jsonb_build_object('how', '${how}', 'session', e.id)
    FROM ended e JOIN principal p ON p.tenant = e.tenant AND p.id = e.principal`;
const milliseconds = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

/**
 * Sessions after their login. `live` is the condition under which a session `s` of a principal `p` counts, `lapsed` the one
 * under which it has run out.
 */
export function sessionStore(pool: Pool, rows: Rows, live: string, lapsed: string) {
  return {
    /** Keeps a session in use from running out. Only the first call in a minute writes. */
    async touchSession(tenant: string, digest: string): Promise<void> {
      await rows(
        pool.of(tenant),
        'touch-session',
        `UPDATE session SET last_seen_at = clock_timestamp()
         WHERE tenant = $1 AND digest = $2 AND last_seen_at < clock_timestamp() - interval '1 minute'`,
        [tenant, digest],
      );
    },

    /** The live sessions of a person in one tenant, the newest first. */
    async sessionsOf({ tenant, principal }: PersonEntry, current: string): Promise<OwnSession[]> {
      return rows<OwnSession>(
        pool.of(tenant),
        'sessions-of',
        `SELECT s.id, ${milliseconds('s.authenticated_at')} AS since, ${milliseconds('s.last_seen_at')} AS "lastUsed",
           ${milliseconds('s.expires_at')} AS expires, s.digest = $3 AS current
         FROM session s JOIN principal p ON p.tenant = s.tenant AND p.id = s.principal
         WHERE s.tenant = $1 AND s.principal = $2 AND ${live}
         ORDER BY s.authenticated_at DESC, s.id LIMIT 200`,
        [tenant, principal, current],
      );
    },

    async endSession(tenant: string, digest: string): Promise<EndedSession[]> {
      return rows(pool.of(tenant), 'end-session', ending('logout', 'tenant = $1 AND digest = $2'), [
        tenant,
        digest,
      ]);
    },

    /** Ends expired and idle sessions: at most that many, and returns how many. */
    async endLapsed(most: number): Promise<number> {
      const ended = await rows(
        pool.acrossTenants,
        'end-lapsed',
        ending(
          'expired',
          `digest = ANY (ARRAY(SELECT s.digest FROM session s WHERE ${lapsed} LIMIT $1 FOR UPDATE SKIP LOCKED))`,
        ),
        [most],
      );
      return ended.length;
    },

    /**
     * Ends the sessions that a change of their person ended, as {@link endLapsed} does: they have been useless since then.
     */
    async endRevoked(most: number): Promise<number> {
      const ended = await rows(
        pool.acrossTenants,
        'end-revoked',
        ending(
          'principal_changed',
          `digest = ANY (ARRAY(SELECT s.digest FROM principal p
             JOIN session s ON s.tenant = p.tenant AND s.principal = p.id
               AND s.authenticated_at <= p.sessions_valid_from
             WHERE p.sessions_valid_from IS NOT NULL LIMIT $1 FOR UPDATE OF s SKIP LOCKED))`,
        ),
        [most],
      );
      return ended.length;
    },

    /** One of a person's own. */
    async endOwnSession({ tenant, principal }: PersonEntry, id: string): Promise<EndedSession[]> {
      return rows(
        pool.of(tenant),
        'end-own-session',
        ending('ended_by_person', 'tenant = $1 AND principal = $2 AND id::text = $3'),
        [tenant, principal, id],
      );
    },

    /** All of a person's own but one. */
    async endOtherSessions(
      { tenant, principal }: PersonEntry,
      current: string,
    ): Promise<EndedSession[]> {
      return rows(
        pool.of(tenant),
        'end-other-sessions',
        ending('ended_by_person', 'tenant = $1 AND principal = $2 AND digest <> $3'),
        [tenant, principal, current],
      );
    },

    /**
     * Ends the sessions that an identity provider reports as ended, in every tenant, and logins that wait for a choice.
     * Null when the token was honoured before. A session whose login named no provider session counts as one of its
     * person's.
     */
    async endByProvider(notice: LogoutNotice): Promise<EndedSession[] | null> {
      const { issuer, token, subject, session } = notice;
      const [outcome] = await rows<{ fresh: boolean; ended: EndedSession[] }>(
        pool.acrossTenants,
        'end-by-provider',
        `WITH cleared AS (
           DELETE FROM logout_token WHERE expires_at <= clock_timestamp()
         ), fresh AS (
           INSERT INTO logout_token (digest, expires_at) VALUES ($1, clock_timestamp() + ${TOKEN_KEPT})
           ON CONFLICT DO NOTHING RETURNING digest
         ), attempts AS (
           DELETE FROM login_attempt a WHERE EXISTS (SELECT FROM fresh) AND a.identity ->> 'issuer' = $2
             AND ($3::text IS NULL OR a.identity ->> 'subject' = $3)
             AND ($4::text IS NULL OR coalesce(a.identity ->> 'session' = $4, $3::text IS NOT NULL))
         ), ended AS (
           DELETE FROM session s USING principal p WHERE EXISTS (SELECT FROM fresh)
             AND p.tenant = s.tenant AND p.id = s.principal AND p.oidc_issuer = $2
             AND ($3::text IS NULL OR p.oidc_subject = $3)
             AND ($4::text IS NULL OR coalesce(s.provider_session = $4, $3::text IS NOT NULL))
           RETURNING s.tenant, s.principal, s.id
         ), noted AS (
           ${noted('identity_provider')}
         )
         SELECT EXISTS (SELECT FROM fresh) AS fresh, coalesce((SELECT jsonb_agg(e) FROM ended e), '[]'::jsonb) AS ended`,
        [token, issuer, subject, session],
      );
      return outcome?.fresh === true ? outcome.ended : null;
    },
  };
}
