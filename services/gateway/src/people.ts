import type { RequestStatus } from '@countersign/protocol';
import { Refusal, operationNamed, sandboxOriginOf } from '@countersign/protocol';

import type { Authenticated, AuthenticatedSession } from './authentication.js';
import { hasCredentials } from './authentication.js';
import type { Call, Handler } from './call.js';
import { redirect, sendJson, sendPage } from './call.js';
import { SESSION_COOKIE, clearCookie } from './cookies.js';
import { returnTo } from './login/return-to.js';
import { inboxPage, reviewPage } from './pages/reviewer-pages.js';
import type { Pipeline } from './pipeline.js';
import { allowFrame } from './security-headers.js';
import type { Store } from './store.js';

interface Person extends Authenticated {
  readonly session: AuthenticatedSession;
}

export interface PeoplePaths {
  readonly session: Handler;
  readonly logout: Handler;
  readonly inbox: Handler;
  readonly review: Handler;
}

const statusOperation = operationNamed('request.status');

/** Pages and session paths: for signed-in people only (contract §8.2). */
export function createPeoplePaths(
  store: Store,
  pipeline: Pipeline,
  sandboxPattern: string,
): PeoplePaths {
  async function person(call: Call): Promise<Person> {
    const caller = await pipeline.admit(call, 'page');
    const { session } = caller;
    if (caller.kind !== 'human' || !session) throw new Refusal('human_required');
    return { ...caller, session };
  }

  /** A visitor without credentials is led to the login and back; false when that was done. */
  async function recognisable(call: Call): Promise<boolean> {
    if (hasCredentials(call.request)) return true;
    await pipeline.take(call, 'authenticated');
    redirect(call, `/auth/login?return_to=${encodeURIComponent(returnTo([call.path]))}`);
    return false;
  }

  return {
    async session(call) {
      const { principal, session } = await person(call);
      sendJson(call, JSON.stringify({ subject: principal, csrf: session.csrf }));
    },

    async logout(call) {
      const { session } = await person(call);
      await store.endSession(session.digest);
      call.response.setHeader('Set-Cookie', clearCookie(SESSION_COOKIE));
      call.response.statusCode = 204;
      call.response.end();
    },

    async inbox(call) {
      if (!(await recognisable(call))) return;
      await person(call);
      sendPage(call, inboxPage);
    },

    async review(call) {
      if (!(await recognisable(call))) return;
      const reader = await person(call);
      const id = call.path.slice('/review/'.length);
      // What this person may not see answers 404, here as in the API.
      const { body } = await pipeline.ask(call, reader, statusOperation, { params: { id } });
      const { request } = JSON.parse(body) as RequestStatus;
      const frame = sandboxOriginOf(sandboxPattern, request);
      if (frame !== null) allowFrame(call.response, frame);
      sendPage(call, reviewPage);
    },
  };
}
