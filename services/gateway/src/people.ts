import type { RequestStatus } from '@countersign/protocol';
import { Refusal, operationNamed, sandboxOriginOf } from '@countersign/protocol';

import type { Authenticated, AuthenticatedSession } from './authentication.js';
import { hasCredentials } from './authentication.js';
import type { Call, Handler } from './call.js';
import { redirect, sendJson, sendPage } from './call.js';
import { SESSION_COOKIE, clearCookie } from './cookies.js';
import { returnTo } from './login/return-to.js';
import type { StepUpRule } from './login/step-up.js';
import { isProved, ruleFor } from './login/step-up.js';
import type { AppPage } from './pages/app-pages.js';
import { APP_PAGES } from './pages/app-pages.js';
import { signedOutPage } from './pages/signed-out-page.js';
import type { PageReader } from './pages/shell.js';
import { shell } from './pages/shell.js';
import type { Pipeline } from './pipeline.js';
import { allowFrame } from './security-headers.js';
import type { Store } from './store.js';

interface Person extends Authenticated {
  readonly session: AuthenticatedSession;
}

export interface PeoplePaths {
  readonly session: Handler;
  readonly logout: Handler;
  readonly review: Handler;
  /** The page behind a path, when there is one, and the name of its path for the figures. */
  page(path: string): readonly [string, Handler] | undefined;
}

const statusOperation = operationNamed('request.status');

/** Pages and session paths: for signed-in people only (contract §8.2). */
export function createPeoplePaths(
  store: Store,
  pipeline: Pipeline,
  sandboxPattern: string,
  stepUp: readonly StepUpRule[],
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

  async function open(call: Call, page: AppPage): Promise<void> {
    const { name, title } = page;
    if (page.for === 'anybody') {
      const visitor = hasCredentials(call.request) ? await person(call).catch(nobody) : null;
      sendPage(call, shell({ name, title, reader: visitor && readerOf(visitor) }));
      return;
    }
    if (!(await recognisable(call))) return;
    const reader = await person(call);
    if (page.for === 'operator' && !reader.operator) throw new Refusal('operator_required');
    sendPage(call, shell({ name, title, reader: readerOf(reader) }));
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

    async review(call) {
      if (!(await recognisable(call))) return;
      const reader = await person(call);
      const id = call.path.slice('/review/'.length);
      // What this person may not see answers 404, here as in the API.
      const { body } = await pipeline.ask(call, reader, statusOperation, { params: { id } });
      const { request } = JSON.parse(body) as RequestStatus;
      const frame = sandboxOriginOf(sandboxPattern, request);
      if (frame !== null) allowFrame(call.response, frame);
      const rule = ruleFor(stepUp, reader.tenant, request.route);
      const asksAgain = rule !== null && !isProved(reader.session, rule);
      sendPage(
        call,
        shell({ name: 'review', title: 'Review', reader: readerOf(reader), stepUp: asksAgain }),
      );
    },

    page(path) {
      if (path === '/signed-out') {
        // It never says so to somebody who still has a session's cookie.
        const answer: Handler = (call) =>
          hasCredentials(call.request) ? redirect(call, '/inbox') : sendPage(call, signedOutPage());
        return [path, answer];
      }
      const found = APP_PAGES.find((page) =>
        page.path.endsWith('/') ? path.startsWith(page.path) : path === page.path,
      );
      if (!found) return undefined;
      const route = found.path.endsWith('/') ? `${found.path}{page}` : found.path;
      return [route, (call) => open(call, found)];
    },
  };
}

/** A page for anybody opens for who is not, or no longer, signed in too. */
function nobody(fault: unknown): null {
  if (fault instanceof Refusal && (fault.status === 401 || fault.code === 'human_required'))
    return null;
  throw fault;
}

function readerOf({ principal, operator, session }: Person): PageReader {
  return { subject: principal, name: session.name, operator };
}
