import { Refusal } from '@countersign/protocol';

import type { Handler } from './call.js';
import { redirect, sendJson } from './call.js';
import { SESSION_COOKIE, clearCookie } from './cookies.js';
import { readForm } from './form-body.js';
import type { IdentityProvider } from './login/identity-provider.js';
import type { AskPerson } from './person.js';
import type { Store } from './store/index.js';
import type { OwnSession } from './store/sessions.js';

export interface SessionPaths {
  /** `GET /auth/session` */
  readonly session: Handler;
  /** `GET /auth/sessions`: a person's own in this tenant. */
  readonly list: Handler;
  /** `POST /auth/logout` */
  readonly logout: Handler;
  /** `POST /auth/sessions/end-others` */
  readonly endOthers: Handler;
  /** `POST /auth/sessions/{id}/end` */
  readonly endOne: Handler;
  /** `GET /auth/leave`: after a logout, on to the identity provider's own. */
  readonly leave: Handler;
  /** `POST /auth/backchannel-logout`: by the identity provider. */
  readonly backchannelLogout: Handler;
}

/** The path that ends one session of a person's own. */
export const ONE_SESSION = /^\/auth\/sessions\/([a-f0-9-]{36})\/end$/;

/**
 * Sessions as their people see and end them. Every end of a session but the operators' (`request.configure-principal`) is
 * in this file.
 */
export function createSessionPaths(
  store: Store,
  person: AskPerson,
  provider: IdentityProvider,
): SessionPaths {
  return {
    async session(call) {
      const { tenant, principal, session } = await person(call);
      sendJson(call, JSON.stringify({ subject: principal, csrf: session.csrf, tenant }));
    },

    async list(call) {
      const reader = await person(call);
      const sessions = await store.sessionsOf(reader, reader.session.digest);
      sendJson(call, JSON.stringify({ items: sessions.map(shown) }));
    },

    async logout(call) {
      const { tenant, session } = await person(call);
      await store.endSession(tenant, session.digest);
      call.response.setHeader('Set-Cookie', clearCookie(SESSION_COOKIE));
      call.response.statusCode = 204;
      call.response.end();
    },

    async endOthers(call) {
      const reader = await person(call);
      const ended = await store.endOtherSessions(reader, reader.session.digest);
      sendJson(call, JSON.stringify({ ended: ended.length }));
    },

    async endOne(call) {
      const reader = await person(call);
      const ended = await store.endOwnSession(reader, ONE_SESSION.exec(call.path)?.[1] ?? '');
      if (ended.length === 0) throw new Refusal('not_found');
      sendJson(call, JSON.stringify({ ended: ended.length }));
    },

    async leave(call) {
      const address = await provider.logoutAddress();
      redirect(call, address?.href ?? '/signed-out');
    },

    async backchannelLogout(call) {
      const [token, ...repeated] = (await readForm(call.request)).getAll('logout_token');
      if (!token || repeated.length > 0) throw new Refusal('invalid_logout_token');
      const ended = await store.endByProvider(await provider.logoutNotice(token));
      if (ended === null) throw new Refusal('invalid_logout_token');
      call.response.end();
    },
  };
}

function shown({ id, since, lastUsed, expires, current }: OwnSession) {
  const stamp = (milliseconds: number) => new Date(milliseconds).toISOString();
  return {
    id,
    since: stamp(since),
    last_used: stamp(lastUsed),
    expires: stamp(expires),
    current,
  };
}
