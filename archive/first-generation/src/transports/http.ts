import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Core } from '../core.js';
import { corsHeaders, isAllowedOrigin } from '../origins.js';
import { answer, queryOf } from './answers.js';
import { openEvents, takePost } from './streams.js';

const METHODS: Readonly<Record<string, string>> = {
  '/health': 'GET',
  '/stats': 'GET',
  '/proto/sse': 'GET',
  '/proto/stream': 'POST',
};

/** Everything over HTTP but the upgrade to WebSocket. */
export function createRequestListener(core: Core, secret: string) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { path, token } = queryOf(request.url);
    const method = METHODS[path];
    if (method === undefined) return answer(response, 404);
    const { origin } = request.headers;
    const { enableCORS, allowedOrigins } = core.config;
    const cors = corsHeaders(origin, enableCORS, allowedOrigins);
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return answer(response, 204);
    if (request.method !== method) return answer(response, 405, '', { Allow: method });
    if (path === '/health') return answer(response, 200, health(core));
    if (path === '/stats') return answer(response, 200, JSON.stringify(statsOf(core)));
    if (!isAllowedOrigin(origin, allowedOrigins)) return answer(response, 403);
    if (path === '/proto/sse') return openEvents(core, secret, token, request, response);
    return takePost(core, secret, request, response);
  };
}

export function statsOf(core: Core) {
  return core.statistics.snapshot(core.now(), core.directory.active());
}

function health(core: Core): string {
  const { uptime, activeConnections, totalConnections } = statsOf(core);
  return JSON.stringify({ status: 'ok', uptime, activeConnections, totalConnections });
}
