import type { IncomingMessage, ServerResponse } from 'node:http';

import {
  ADMIN_OPERATIONS,
  CUSTODY_READ,
  HISTORY_READ,
  INBOX_READ,
  NOTIFICATIONS_PATH,
  Refusal,
  SECURITY_READS,
  textDigest,
} from '@countersign/protocol';
import { Router } from 'express';

import type { Call, Handler } from './call.js';
import { LOGIN_COOKIE, readCookie } from './cookies.js';
import { createAdminReads } from './admin-reads.js';
import { createCustodyRead } from './custody-read.js';
import { createHistoryRead } from './history-read.js';
import { createInboxRead } from './inbox-read.js';
import type { Login } from './login/login.js';
import type { NotificationPaths } from './notification-paths.js';
import { APP_PAGES, CUSTODY_PAGE } from './pages/app-pages.js';
import type { PeoplePaths } from './people.js';
import type { Pipeline } from './pipeline.js';
import type { Take } from './rates.js';
import { createSecurityLog } from './security-log.js';
import type { SessionPaths } from './session-paths.js';
import { ONE_SESSION } from './session-paths.js';

export interface RouteParts {
  readonly pipeline: Pipeline;
  readonly publicPaths: ReadonlyMap<string, Handler>;
  readonly assets: Handler;
  readonly errors: Handler;
  readonly trees: Handler;
  readonly login: Login;
  readonly sessions: SessionPaths;
  readonly notifications: NotificationPaths;
  readonly people: PeoplePaths;
  /** The deployment offers legal holds. */
  readonly custody: boolean;
  readonly refuse: (call: Call, fault: unknown) => void;
}

/**
 * Everything outside `/v2`, by Express: pages, public reads, logins and sessions, and admin reads.
 *
 * Paths match exactly as they were sent: nothing is decoded, no slash is added or left out, and the handlers parse the text
 * after a prefix themselves.
 */
export function createRoutes(parts: RouteParts): (call: Call) => void {
  const { pipeline, publicPaths, assets, errors, trees, login, sessions, people, refuse } = parts;
  const { notifications, custody } = parts;
  const adminReads = createAdminReads(pipeline);
  const securityLog = createSecurityLog(pipeline);
  const router = Router({ caseSensitive: true, strict: true });
  const calls = new WeakMap<object, Call>();

  /** `route` names the path in metrics. */
  const run = (route: string, handler: Handler) => async (request: object) => {
    const call = calls.get(request) as Call;
    call.route = route;
    await handler(call);
  };
  // Also answers HEAD.
  const get = (path: string | RegExp, handler: Handler, route = String(path)) =>
    router.get(path, run(route, handler));
  const post = (path: string | RegExp, handler: Handler, route = String(path)) =>
    router.post(path, run(route, handler));
  const none = () => {
    throw new Refusal('not_found');
  };

  // Otherwise the router answers by itself.
  router.options(/^/, none);

  for (const [path, handler] of publicPaths) get(path, handler);
  get(below('/assets/'), assets, '/assets/{file}');
  get(below('/errors/'), errors, '/errors/{code}');
  get(below('/log/'), trees, '/log/{path}');

  const rated = rate(pipeline);
  get('/auth/login', rated(login.start));
  get('/auth/callback', rated(login.callback));
  get('/auth/tenant', rated(login.tenants));
  post('/auth/tenant', rated(login.choose));

  get('/auth/session', sessions.session);
  get('/auth/sessions', sessions.list);
  get('/auth/leave', rated(sessions.leave));
  post('/auth/logout', sessions.logout);
  post('/auth/sessions/end-others', sessions.endOthers);
  post(ONE_SESSION, sessions.endOne, '/auth/sessions/{id}/end');
  post('/auth/backchannel-logout', rated(sessions.backchannelLogout));

  get(NOTIFICATIONS_PATH, notifications.read);
  post(NOTIFICATIONS_PATH, notifications.save);

  router.head(below('/operator/data/'), none);
  for (const call of ADMIN_OPERATIONS) {
    (call.method === 'GET' ? get : post)(call.path, adminReads(call));
  }
  for (const read of SECURITY_READS) get(read.path, securityLog(read));
  router.all(below('/operator/data/'), none);

  router.head(INBOX_READ.path, none);
  get(INBOX_READ.path, createInboxRead(pipeline));
  router.head(HISTORY_READ.path, none);
  get(HISTORY_READ.path, createHistoryRead(pipeline));
  if (custody) {
    router.head(CUSTODY_READ.path, none);
    get(CUSTODY_READ.path, createCustodyRead(pipeline));
  }
  get(below('/review/'), people.review, '/review/{id}');
  get('/signed-out', people.signedOut);
  for (const page of custody ? [...APP_PAGES, CUSTODY_PAGE] : APP_PAGES) {
    const { path } = page;
    if (path.endsWith('/')) get(below(path), people.page(page), `${path}{page}`);
    else get(path, people.page(page));
  }

  return (call) => {
    const { request, response, path } = call;
    const end = (fault?: unknown) => refuse(call, fault ?? new Refusal('not_found'));
    // The router would take other forms of a target apart: `http://host/path`, `/path#fragment`.
    if (!/^\/[^#\s]*$/.test(path)) return end();
    request.url = path;
    calls.set(request, call);
    (router as unknown as Route)(request, response, end);
  };
}

/** A router needs Express's versions of the two, and uses none of their additions. */
type Route = (
  request: IncomingMessage,
  response: ServerResponse,
  end: (fault?: unknown) => void,
) => void;

function below(prefix: string): RegExp {
  return new RegExp(`^${prefix}`);
}

/** Logins are counted by address, by attempt, and all together. */
function rate(pipeline: Pipeline): (handler: Handler) => Handler {
  return (handler) => async (call) => {
    const attempt = readCookie(call.request.headers.cookie, LOGIN_COOKIE);
    const one: Take[] =
      attempt === undefined ? [] : [{ bucket: 'login_attempt', key: textDigest(attempt) }];
    await pipeline.takeOfAddress(call, 'login', [...one, { bucket: 'logins' }]);
    await handler(call);
  };
}
