import { currentTrace, newTrace } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';
import express from 'express';

import type { Call, Handler } from './call.js';
import { isApi } from './call.js';
import type { Listener } from './listener.js';
import { createListener } from './listener.js';
import type { Login } from './login/login.js';
import type { PeoplePaths } from './people.js';
import type { Pipeline } from './pipeline.js';
import { headerLines, setHeaders, trustedHeaders } from './security-headers.js';

export interface ServerParts {
  readonly origin: string;
  readonly production: boolean;
  readonly pipeline: Pipeline;
  readonly publicPaths: ReadonlyMap<string, Handler>;
  readonly assets: Handler;
  readonly errors: Handler;
  readonly login: Login;
  readonly people: PeoplePaths;
  readonly refuse: (call: Call, fault: unknown) => void;
}

/** The trusted origin's listener: one dispatcher, because every further layer costs each call. */
export function createServer(parts: ServerParts): Listener {
  const headers = trustedHeaders(parts.production);
  const dispatch = createDispatch(parts);

  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.use((request, response) => {
    setHeaders(response, headers);
    const url = request.url;
    const mark = url.indexOf('?');
    const call: Call = {
      request,
      response,
      path: mark < 0 ? url : url.slice(0, mark),
      query: mark < 0 ? '' : url.slice(mark + 1),
      trace: currentTrace() ?? newTrace(header(request.headers['traceparent'])),
    };
    dispatch(call).catch((fault: unknown) => parts.refuse(call, fault));
  });
  return createListener({ handler: app, headerLines: headerLines(headers), origin: parts.origin });
}

function createDispatch(parts: ServerParts): (call: Call) => Promise<void> {
  const { pipeline, publicPaths, assets, errors, login, people } = parts;
  const rated =
    (handler: Handler): Handler =>
    async (call) => {
      await pipeline.take(call, 'login');
      await handler(call);
    };
  const readable = new Map<string, Handler>([
    ...publicPaths,
    ['/auth/login', rated((call) => login.start(call))],
    ['/auth/callback', rated((call) => login.callback(call))],
    ['/auth/session', people.session],
    ['/inbox', people.inbox],
  ]);

  function find({ request, path }: Call): Handler | undefined {
    const { method } = request;
    if (method === 'POST') return path === '/auth/logout' ? people.logout : undefined;
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const handler = readable.get(path);
    if (handler) return handler;
    if (path.startsWith('/review/')) return people.review;
    if (path.startsWith('/assets/')) return assets;
    return path.startsWith('/errors/') ? errors : undefined;
  }

  return async (call) => {
    if (isApi(call.path)) {
      await pipeline.serve(call);
      return;
    }
    const handler = find(call);
    if (!handler) throw new Refusal('not_found');
    await handler(call);
  };
}

function header(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
