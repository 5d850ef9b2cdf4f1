import { acrossTenants, ofNoTenant, statements } from '@countersign/database';
import type { Values } from '@countersign/database';

import { LOGIN_SECONDS, SESSION_SECONDS } from '../cookies.js';
import type { Identity } from '../login/identity-provider.js';
import { isPerson } from './person.js';
import type { PersonEntry } from './person.js';
import type { Rows } from './rows.js';
import { noted } from './sessions.js';

export interface LoginAttempt {
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly returnTo: string;
  /** See `sessionState`. */
  readonly sessionState: string | null;
  /** The entry that the person logs in as without choosing, where the login is a fresh one for a confirmation. */
  readonly stays: PersonEntry | null;
}

/** An attempt whose person is known and has to choose a tenant. */
export interface PendingChoice extends Pick<LoginAttempt, 'returnTo' | 'sessionState'> {
  readonly stateDigest: string;
  readonly identity: Identity;
  /** The token that the form has to be sent back with. */
  readonly token: string;
}

export interface LoginEntry extends PersonEntry {
  /** An auditor reads the security log, and nothing else. */
  readonly kind: 'human' | 'auditor';
  readonly identityCertain: boolean;
  /** False for an entry that the person has never logged in to. */
  readonly known: boolean;
}

export interface NewSession extends PersonEntry {
  readonly digest: string;
  readonly csrf: string;
  readonly identity: Identity;
}

/** Of one person in one tenant. More than a few are no use to the person, and the list is not for operators to fill. */
const ENTRIES_OF_A_TENANT = 5;

const LOGIN_ENDS = `clock_timestamp() + make_interval(secs => ${LOGIN_SECONDS})`;

export const LOGINS = statements('gateway', {
  sessionState: acrossTenants(
    'SELECT FROM session WHERE digest = :digest AND expires_at > clock_timestamp()',
  ),
  restartLogin:
    ofNoTenant(`UPDATE login_attempt SET state = :state, nonce = :nonce, code_verifier = :code_verifier, return_to = :return_to,
      session_digest = :session_digest, stays = :stays, identity = NULL, choice = NULL, created_at = clock_timestamp(),
      claimed_at = NULL, expires_at = ${LOGIN_ENDS}
    WHERE digest = :digest AND expires_at > clock_timestamp() RETURNING digest`),
  startLogin:
    ofNoTenant(`INSERT INTO login_attempt (digest, state, nonce, code_verifier, return_to, session_digest, stays, created_at, expires_at)
    VALUES (:digest, :state, :nonce, :code_verifier, :return_to, :session_digest, :stays, clock_timestamp(), ${LOGIN_ENDS})`),
  claimLogin: ofNoTenant(`UPDATE login_attempt SET claimed_at = clock_timestamp()
    WHERE digest = :digest AND state = :state AND claimed_at IS NULL AND expires_at > clock_timestamp()
    RETURNING nonce, code_verifier AS "codeVerifier", return_to AS "returnTo", session_digest AS "sessionState", stays`),
  people:
    acrossTenants(`SELECT tenant, principal, kind, "identityCertain", last IS NOT NULL AS known FROM (
      SELECT p.tenant, p.id AS principal, p.kind, l.at AS last,
        coalesce(p.config -> 'identity_certain' <> 'false'::jsonb, true) AS "identityCertain",
        row_number() OVER (PARTITION BY p.tenant ORDER BY p.kind = 'auditor' DESC, l.at DESC NULLS LAST, p.id) AS place
      FROM principal p LEFT JOIN last_login l ON l.tenant = p.tenant AND l.principal = p.id
      WHERE p.oidc_issuer = :issuer AND p.oidc_subject = :subject AND ${isPerson('p')} AND p.enabled
    ) entry WHERE place <= ${ENTRIES_OF_A_TENANT} ORDER BY last DESC NULLS LAST, tenant, principal`),
  hasChoice:
    acrossTenants(`SELECT FROM principal p JOIN principal x ON x.oidc_issuer = p.oidc_issuer AND x.oidc_subject = p.oidc_subject
      AND ${isPerson('x')} AND x.enabled AND (x.tenant, x.id) <> (p.tenant, p.id)
    WHERE p.tenant = :tenant AND p.id = :principal LIMIT 1`),
  awaitChoice:
    ofNoTenant(`UPDATE login_attempt SET identity = :identity, choice = :choice, expires_at = ${LOGIN_ENDS}
    WHERE digest = :digest AND state = :state AND claimed_at IS NOT NULL RETURNING digest`),
  pendingChoice:
    ofNoTenant(`SELECT state AS "stateDigest", return_to AS "returnTo", session_digest AS "sessionState", identity, choice AS token
    FROM login_attempt WHERE digest = :digest AND identity IS NOT NULL AND expires_at > clock_timestamp()`),
  // The session that it takes the place of may be another tenant's.
  finishLogin: acrossTenants(`WITH attempt AS (
      DELETE FROM login_attempt WHERE digest = :login_digest AND state = :state AND claimed_at IS NOT NULL RETURNING digest
    ), ended AS (
      DELETE FROM session WHERE digest = :retired AND expires_at > clock_timestamp() AND EXISTS (SELECT FROM attempt)
      RETURNING tenant, principal, id
    ), noted_end AS (
      ${noted('replaced')}
    ), made AS (
      INSERT INTO session (digest, tenant, principal, csrf, authenticated_at, expires_at, proved_at, acr, provider_session)
      SELECT :digest, :tenant, :principal, :csrf, clock_timestamp(), clock_timestamp() + make_interval(secs => ${SESSION_SECONDS}),
        -- A provider whose clock is ahead makes no login fresher than now.
        least(to_timestamp(:proved_at::float8), clock_timestamp()), :acr, :provider_session
      FROM attempt WHERE :retired::text IS NULL OR EXISTS (SELECT FROM ended)
      RETURNING digest
    ), remembered AS (
      INSERT INTO last_login (tenant, principal, at) SELECT :tenant, :principal, clock_timestamp() FROM made
      ON CONFLICT (tenant, principal) DO UPDATE SET at = EXCLUDED.at
    ), noted AS (
      INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
      SELECT p.tenant, 'login.succeeded', p.id, p.kind, p.id,
        jsonb_build_object('acr', left(:acr::text, 100), 'replaced', EXISTS (SELECT FROM ended))
      FROM made, principal p WHERE p.tenant = :tenant AND p.id = :principal
    )
    SELECT EXISTS (SELECT FROM attempt) AS attempt, EXISTS (SELECT FROM made) AS made`),
});

/** Login attempts, from the redirect to the provider to the session. */
export function loginStore(rows: Rows) {
  return {
    /**
     * The state of a browser's session cookie: null without one, else whether it is alive and which. Two equal answers mean
     * that there was no login or logout between them.
     */
    async sessionState(digest: string | null): Promise<string | null> {
      if (digest === null) return null;
      const found = await rows(LOGINS.sessionState, { digest });
      return `${found.length > 0 ? 'live' : 'dead'} ${digest}`;
    },

    /**
     * Replaces the attempt of a browser that already has a login cookie, in any state of that attempt, and so invalidates
     * its callback. False when there is none to replace.
     */
    async restartLogin(digest: string, stateDigest: string, next: LoginAttempt): Promise<boolean> {
      return (await rows(LOGINS.restartLogin, attemptValues(digest, stateDigest, next))).length > 0;
    },

    async startLogin(digest: string, stateDigest: string, next: LoginAttempt): Promise<void> {
      await rows(LOGINS.startLogin, attemptValues(digest, stateDigest, next));
    },

    /** Takes the attempt, once and for ever; null when it is unknown, over or already taken. */
    async claimLogin(digest: string, stateDigest: string): Promise<LoginAttempt | null> {
      const [claimed] = await rows<LoginAttempt>(LOGINS.claimLogin, { digest, state: stateDigest });
      return claimed ?? null;
    },

    /**
     * The enabled people with that identity, those that the person knows first, the last one before all. No tenant's
     * entries depend on another's, and no entry that operators made crowds out an auditor's.
     */
    people(issuer: string, subject: string): Promise<LoginEntry[]> {
      return rows(LOGINS.people, { issuer, subject });
    },

    /** Whether the person behind this principal could have chosen another one at the login. */
    async hasChoice({ tenant, principal }: PersonEntry): Promise<boolean> {
      return (await rows(LOGINS.hasChoice, { tenant, principal })).length > 0;
    },

    /** Keeps who a claimed attempt belongs to until the person has chosen. False: another login took its place. */
    async awaitChoice(
      digest: string,
      stateDigest: string,
      identity: Identity,
      token: string,
    ): Promise<boolean> {
      const kept = await rows(LOGINS.awaitChoice, {
        ...{ digest, state: stateDigest },
        ...{ identity: JSON.stringify(identity), choice: token },
      });
      return kept.length > 0;
    },

    async pendingChoice(digest: string): Promise<PendingChoice | null> {
      const [pending] = await rows<PendingChoice>(LOGINS.pendingChoice, { digest });
      return pending ?? null;
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
      { digest, tenant, principal, csrf, identity }: NewSession,
    ): Promise<'done' | 'superseded' | 'session_changed'> {
      const { provedAt, acr, session } = identity;
      const [outcome] = await rows<{ attempt: boolean; made: boolean }>(LOGINS.finishLogin, {
        ...{ login_digest: loginDigest, state: stateDigest, retired },
        ...{ digest, tenant, principal, csrf },
        ...{ proved_at: provedAt, acr, provider_session: session },
      });
      if (!outcome?.attempt) return 'superseded';
      return outcome.made ? 'done' : 'session_changed';
    },
  };
}

function attemptValues(digest: string, stateDigest: string, next: LoginAttempt): Values {
  const { nonce, codeVerifier, returnTo, sessionState, stays } = next;
  return {
    ...{ digest, state: stateDigest, nonce, code_verifier: codeVerifier, return_to: returnTo },
    ...{ session_digest: sessionState, stays: stays && JSON.stringify(stays) },
  };
}
