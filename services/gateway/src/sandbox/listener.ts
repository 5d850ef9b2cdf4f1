import type { RequestListener } from 'node:http';

import { newTrace } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

import type { Listener } from '../listener.js';
import { createListener } from '../listener.js';
import { headerLines, sandboxHeaders, setHeaders } from '../security-headers.js';

/** The origin apart from the service's own, on which apps may run and nothing else is served. */
export function createSandboxListener(origin: string, production: boolean): Listener {
  const headers = sandboxHeaders(origin, production);
  const handler: RequestListener = (_request, response) => {
    setHeaders(response, headers);
    const refusal = new Refusal('not_found');
    const problem = JSON.stringify(refusal.toProblem(origin, newTrace().traceId));
    response.statusCode = refusal.status;
    response.setHeader('Content-Type', 'application/problem+json');
    response.setHeader('Content-Length', Buffer.byteLength(problem));
    response.end(problem);
  };
  return createListener({ handler, headerLines: headerLines(headers), origin });
}
