import type { RequestListener } from 'node:http';

import { openCall } from '@countersign/platform';

import type { Call } from './call.js';
import { NO_ROUTE, isApi } from './call.js';
import type { HttpTimes } from './http-times.js';
import type { ConnectionLimits, Listener } from './listener.js';
import { createListener } from './listener.js';
import type { RouteParts } from './routes.js';
import { createRoutes } from './routes.js';
import { headerLines, setHeaders, trustedHeaders } from './security-headers.js';

export interface ServerParts extends RouteParts {
  readonly origin: string;
  /** In which a whole call must have come, milliseconds. */
  readonly requestMs: number;
  readonly production: boolean;
  readonly connections: ConnectionLimits;
  readonly times: HttpTimes;
}

/** The trusted origin's listener: `/v2` goes to the pipeline, everything else to the routes. */
export function createServer(parts: ServerParts): Listener {
  const headers = trustedHeaders(parts.production);
  const { pipeline, refuse, times } = parts;
  const routes = createRoutes(parts);
  const { addresses } = parts.connections;

  const handler: RequestListener = (request, response) => {
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
      heldMs: 0,
    };
    times(call);
    if (span.traceparent !== null) describe(call);
    void span.run(async () => {
      if (!isApi(call.path)) return routes(call);
      try {
        await pipeline.serve(call);
      } catch (fault) {
        refuse(call, fault);
      }
    });
  };
  const { origin, requestMs, connections } = parts;
  const lines = headerLines(headers);
  return createListener({ handler, headerLines: lines, origin, requestMs, connections });
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
