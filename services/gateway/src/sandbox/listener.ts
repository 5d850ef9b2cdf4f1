import type { IncomingMessage, RequestListener } from 'node:http';

import { newTrace } from '@countersign/platform';
import { Refusal, SCOPE, labelOf } from '@countersign/protocol';

import type { ConnectionLimits, Listener } from '../listener.js';
import { createListener } from '../listener.js';
import { headerLines, sandboxHeaders, setHeaders } from '../security-headers.js';
import type { Confinement } from './proxy-page.js';
import { proxyPage } from './proxy-page.js';

/** Nothing here has a body. */
const REQUEST_MS = 10_000;

const SANDBOX_PATH = /^\/sandbox\/([0-9a-f]{64})(?:\?|$)/;

export interface SandboxSettings {
  /** The service's own origin, the only one that may frame anything of this one. */
  readonly origin: string;
  /** See `SCOPE`. */
  readonly pattern: string;
  readonly confinement: Confinement;
  readonly production: boolean;
  readonly connections: ConnectionLimits;
}

/**
 * The origin apart from the service's own, on which apps run (protocol §12.1). It serves one page, the proxy, to each
 * caller who asks for a scope by the scope's own host, and knows neither cookies nor state: the app itself comes from the
 * trusted page.
 */
export async function createSandboxListener(settings: SandboxSettings): Promise<Listener> {
  const { origin, pattern, confinement, production, connections } = settings;
  const headers = sandboxHeaders(origin, production);
  const page = Buffer.from(await proxyPage(origin, confinement));

  const handler: RequestListener = (request, response) => {
    setHeaders(response, headers);
    if (isForScope(request, pattern)) {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.setHeader('Content-Length', page.length);
      response.end(page);
      return;
    }
    const refusal = new Refusal('not_found');
    const problem = JSON.stringify(refusal.toProblem(origin, newTrace().traceId));
    response.statusCode = refusal.status;
    response.setHeader('Content-Type', 'application/problem+json');
    response.setHeader('Content-Length', Buffer.byteLength(problem));
    response.end(problem);
  };
  return createListener({
    handler,
    headerLines: headerLines(headers),
    origin,
    requestMs: REQUEST_MS,
    connections,
  });
}

/** Each scope is served by its own name only, so that no bundle gets another one's origin. */
function isForScope({ method, url, headers }: IncomingMessage, pattern: string): boolean {
  const scope = method === 'GET' ? SANDBOX_PATH.exec(url ?? '')?.[1] : undefined;
  if (scope === undefined) return false;
  const expected = pattern.replace(SCOPE, labelOf(scope)).replace(/^https?:\/\//, '');
  return headers.host === expected;
}
