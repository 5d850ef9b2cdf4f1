import type { RequestListener } from 'node:http';

import { openCall } from '@countersign/platform';
import { Refusal, textDigest } from '@countersign/protocol';
import express from 'express';

import type { Call, Handler } from './call.js';
import { NO_ROUTE, isApi } from './call.js';
import { LOGIN_COOKIE, readCookie } from './cookies.js';
import { createDesk } from './desk.js';
import type { HttpTimes } from './http-times.js';
import type { ConnectionLimits, Listener } from './listener.js';
import { createListener } from './listener.js';
import type { Login } from './login/login.js';
import type { PeoplePaths } from './people.js';
import type { Pipeline } from './pipeline.js';
import type { Take } from './rates.js';
import { createSecurityLog } from './security-log.js';
import { headerLines, setHeaders, trustedHeaders } from './security-headers.js';
import type { SessionPaths } from './session-paths.js';
import { endsOneSession } from './session-paths.js';

export interface ServerParts {
  readonly origin: string;
  /** In which a whole call must have come, milliseconds. */
  readonly requestMs: number;
  readonly production: boolean;
  readonly connections: ConnectionLimits;
  readonly pipeline: Pipeline;
  readonly publicPaths: ReadonlyMap<string, Handler>;
  readonly assets: Handler;
  readonly errors: Handler;
  readonly trees: Handler;
  readonly login: Login;
  readonly sessions: SessionPaths;
  readonly people: PeoplePaths;
  readonly refuse: (call: Call, fault: unknown) => void;
  readonly times: HttpTimes;
}

/**
 * The trusted origin's listener: one dispatcher, because every further layer costs each call. Express serves browsers;
 * calls of the API, which need nothing of it, go past it: it costs as much as a transition's statement.
 */
export function createServer(parts: ServerParts): Listener {
  const headers = trustedHeaders(parts.production);
  const dispatch = createDispatch(parts);
  const { times } = parts;
  const { addresses } = parts.connections;

  const serve: RequestListener = (request, response) => {
    setHeaders(response, headers);
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const { trace, span } = openCall(
      header(request.headers['traceparent']),
      addresses.isTrusted(request.socket.remoteAddress),
    );
    const call: Call = {
      request,
      response,
      path: mark < 0 ? url : url.slice(0, mark),
      query: mark < 0 ? '' : url.slice(mark + 1),
      trace,
      span,
      route: NO_ROUTE,
    };
    times(call);
    if (span.traceparent !== null) describe(call);
    void span.run(() => dispatch(call).catch((fault: unknown) => parts.refuse(call, fault)));
  };
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.use(serve);
  const handler: RequestListener = (request, response) => {
    if (request.url?.startsWith('/v2/')) serve(request, response);
    else app(request, response);
  };
  const { origin, requestMs, connections } = parts;
  const lines = headerLines(headers);
  return createListener({ handler, headerLines: lines, origin, requestMs, connections });
}

function createDispatch(parts: ServerParts): (call: Call) => Promise<void> {
  const { pipeline, publicPaths, assets, errors, trees, login, sessions, people } = parts;
  const desk = createDesk(pipeline);
  const securityLog = createSecurityLog(pipeline);
  const rated =
    (handler: Handler): Handler =>
    async (call) => {
      const attempt = readCookie(call.request.headers.cookie, LOGIN_COOKIE);
      const one: Take[] =
        attempt === undefined ? [] : [{ bucket: 'login_attempt', key: textDigest(attempt) }];
      await pipeline.takeOfAddress(call, 'login', [...one, { bucket: 'logins' }]);
      await handler(call);
    };
  const readable = new Map<string, Handler>([
    ...publicPaths,
    ['/auth/login', rated((call) => login.start(call))],
    ['/auth/callback', rated((call) => login.callback(call))],
    ['/auth/tenant', rated((call) => login.tenants(call))],
    ['/auth/session', sessions.session],
    ['/auth/sessions', sessions.list],
    ['/auth/leave', rated(sessions.leave)],
  ]);
  const posted = new Map<string, Handler>([
    ['/auth/tenant', rated((call) => login.choose(call))],
    ['/auth/logout', sessions.logout],
    ['/auth/sessions/end-others', sessions.endOthers],
    ['/auth/backchannel-logout', rated(sessions.backchannelLogout)],
  ]);

  /** By what a path begins with. */
  const below: readonly (readonly [string, string, Handler])[] = [
    ['/review/', '/review/{id}', people.review],
    ['/assets/', '/assets/{file}', assets],
    ['/errors/', '/errors/{code}', errors],
    ['/log/', '/log/{path}', trees],
  ];

  function find({ request, path }: Call): readonly [string, Handler] | undefined {
    const { method = '' } = request;
    if (path.startsWith('/operator/data/')) {
      const read = desk(method, path) ?? securityLog(method, path);
      return read === null ? undefined : [path, read];
    }
    if (method === 'POST') {
      if (endsOneSession(path)) return ['/auth/sessions/{id}/end', sessions.endOne];
      const handler = posted.get(path);
      return handler && [path, handler];
    }
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const handler = readable.get(path);
    if (handler) return [path, handler];
    const found = below.find(([start]) => path.startsWith(start));
    if (found) return [found[1], found[2]];
    return people.page(path);
  }

  return async (call) => {
    if (isApi(call.path)) {
      await pipeline.serve(call);
      return;
    }
    const found = find(call);
    if (!found) throw new Refusal('not_found');
    const [route, handler] = found;
    call.route = route;
    await handler(call);
  };
}

/** The span ends when the answer has gone out, or the caller has. It is named after the route, never after the path. */
function describe(call: Call): void {
  const { request, response, span } = call;
  const { method = '' } = request;
  const told = METHODS.has(method) ? method : '_OTHER';
  response.once('close', () => {
    span.rename(`${told} ${call.route}`);
    span.set({ 'http.request.method': told, 'http.route': call.route });
    if (response.headersSent) span.set({ 'http.response.status_code': response.statusCode });
    span.end();
  });
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

function header(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
