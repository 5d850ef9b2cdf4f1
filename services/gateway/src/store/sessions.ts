import { acrossTenants, statements } from '@countersign/database';

import type { LogoutNotice } from '../login/logout-token.js';
import { isPerson } from './person.js';
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

/** A session `s` that has run out, by its time or for want of use. */
const LAPSED = `(s.expires_at <= clock_timestamp()
  OR s.last_seen_at <= clock_timestamp() - make_interval(secs => :idle_seconds))`;
/** A session `s` that counts, of its principal `p`. */
export const LIVE = `NOT ${LAPSED}
  AND s.authenticated_at > coalesce(p.sessions_valid_from, '-infinity') AND p.enabled AND ${isPerson('p')}`;

/** Longer than a logout token is accepted for (login/logout-token.ts). */
const TOKEN_KEPT = `interval '15 minutes'`;
/** Notes for the security log of the sessions in the statement's part `ended` how they ended. */
export const noted = (
  how: string,
) => `INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
    SELECT p.tenant, 'session.ended', p.id, p.kind, p.id, jsonb_build_object('how', '${how}', 'session', e.id)
    FROM ended e JOIN principal p ON p.tenant = e.tenant AND p.id = e.principal`;
/** Ends the sessions that `which` finds, and notes of each for the security log how it ended. */
const ending = (how: string, which: string) => `WITH ended AS (
    DELETE FROM session WHERE ${which} RETURNING tenant, principal, id
  ), noted AS (
    ${noted(how)}
  ) SELECT tenant, principal, id FROM ended`;
const milliseconds = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

export const SESSIONS = statements('gateway', {
  // Only the first call in a minute writes.
  touchSession: `UPDATE session SET last_seen_at = clock_timestamp()
    WHERE tenant = $1 AND digest = :digest AND last_seen_at < clock_timestamp() - interval '1 minute'`,
  sessionsOf: `SELECT s.id, ${milliseconds('s.authenticated_at')} AS since, ${milliseconds('s.last_seen_at')} AS "lastUsed",
      ${milliseconds('s.expires_at')} AS expires, s.digest = :current AS current
    FROM session s JOIN principal p ON p.tenant = s.tenant AND p.id = s.principal
    WHERE s.tenant = $1 AND s.principal = :principal AND ${LIVE}
    ORDER BY s.authenticated_at DESC, s.id LIMIT 200`,
  endSession: ending('logout', 'tenant = $1 AND digest = :digest'),
  endLapsed: acrossTenants(
    ending(
      'expired',
      `digest = ANY (ARRAY(SELECT s.digest FROM session s WHERE ${LAPSED} LIMIT :most FOR UPDATE SKIP LOCKED))`,
    ),
  ),
  endRevoked: acrossTenants(
    ending(
      'principal_changed',
      `digest = ANY (ARRAY(SELECT s.digest FROM principal p
        JOIN session s ON s.tenant = p.tenant AND s.principal = p.id
          AND s.authenticated_at <= p.sessions_valid_from
        WHERE p.sessions_valid_from IS NOT NULL LIMIT :most FOR UPDATE OF s SKIP LOCKED))`,
    ),
  ),
  endOwnSession: ending(
    'ended_by_person',
    'tenant = $1 AND principal = :principal AND id::text = :id',
  ),
  endOtherSessions: ending(
    'ended_by_person',
    'tenant = $1 AND principal = :principal AND digest <> :current',
  ),
  endByProvider: acrossTenants(`WITH cleared AS (
      DELETE FROM logout_token WHERE expires_at <= clock_timestamp()
    ), fresh AS (
      INSERT INTO logout_token (digest, expires_at) VALUES (:token, clock_timestamp() + ${TOKEN_KEPT})
      ON CONFLICT DO NOTHING RETURNING digest
    ), attempts AS (
      DELETE FROM login_attempt a WHERE EXISTS (SELECT FROM fresh) AND a.identity ->> 'issuer' = :issuer
        AND (:subject::text IS NULL OR a.identity ->> 'subject' = :subject)
        AND (:session::text IS NULL OR coalesce(a.identity ->> 'session' = :session, :subject::text IS NOT NULL))
    ), ended AS (
      DELETE FROM session s USING principal p WHERE EXISTS (SELECT FROM fresh)
        AND p.tenant = s.tenant AND p.id = s.principal AND p.oidc_issuer = :issuer
        AND (:subject::text IS NULL OR p.oidc_subject = :subject)
        AND (:session::text IS NULL OR coalesce(s.provider_session = :session, :subject::text IS NOT NULL))
      RETURNING s.tenant, s.principal, s.id
    ), noted AS (
      ${noted('identity_provider')}
    )
    SELECT EXISTS (SELECT FROM fresh) AS fresh, coalesce((SELECT jsonb_agg(e) FROM ended e), '[]'::jsonb) AS ended`),
});

/** Sessions after their login. */
export function sessionStore(rows: Rows, idleSeconds: number) {
  return {
    /** Keeps a session in use from running out. */
    async touchSession(tenant: string, digest: string): Promise<void> {
      await rows(SESSIONS.touchSession, { tenant, digest });
    },

    /** The live sessions of a person in one tenant, the newest first. */
    sessionsOf({ tenant, principal }: PersonEntry, current: string): Promise<OwnSession[]> {
      return rows(SESSIONS.sessionsOf, { tenant, principal, current, idle_seconds: idleSeconds });
    },

    endSession(tenant: string, digest: string): Promise<EndedSession[]> {
      return rows(SESSIONS.endSession, { tenant, digest });
    },

    /** Ends expired and idle sessions: at most that many, and returns how many. */
    async endLapsed(most: number): Promise<number> {
      return (await rows(SESSIONS.endLapsed, { most, idle_seconds: idleSeconds })).length;
    },

    /**
     * Ends the sessions that a change of their person ended, as {@link endLapsed} does: they have been useless since then.
     */
    async endRevoked(most: number): Promise<number> {
      return (await rows(SESSIONS.endRevoked, { most })).length;
    },

    /** One of a person's own. */
    endOwnSession({ tenant, principal }: PersonEntry, id: string): Promise<EndedSession[]> {
      return rows(SESSIONS.endOwnSession, { tenant, principal, id });
    },

    /** All of a person's own but one. */
    endOtherSessions({ tenant, principal }: PersonEntry, current: string): Promise<EndedSession[]> {
      return rows(SESSIONS.endOtherSessions, { tenant, principal, current });
    },

    /**
     * Ends the sessions that an identity provider reports as ended, in every tenant, and logins that wait for a choice.
     * Null when the token was honoured before. A session whose login named no provider session counts as one of its
     * person's.
     */
    async endByProvider(notice: LogoutNotice): Promise<EndedSession[] | null> {
      const { issuer, token, subject, session } = notice;
      const [outcome] = await rows<{ fresh: boolean; ended: EndedSession[] }>(
        SESSIONS.endByProvider,
        { issuer, token, subject, session },
      );
      return outcome?.fresh === true ? outcome.ended : null;
    },
  };
}
