import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Module, Readiness } from './module.js';

/** A source of metrics for a scraper; a registry is one. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface HealthOptions {
  readiness: () => Promise<Readiness>;
  /** Served as `/metrics`, for the scraper of the cluster; null while there are none yet. */
  metrics?: () => MetricsSource | null;
}

/** Answers a request for one of its paths; returns whether it did. */
export type HealthHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * `/livez`: 200; the process answers while its event loop turns. `/readyz`: 200 when every module is ready, else 503; names of
 * modules, no reasons. Both answer GET and HEAD.
 */
export function createHealthHandler(options: HealthOptions): HealthHandler {
  const { readiness, metrics } = options;

  async function readyz(response: ServerResponse): Promise<void> {
    const { ready, modules } = await readiness();
    send(response, ready ? 200 : 503, JSON.stringify({ ready, modules }));
  }

  async function scrape(response: ServerResponse, source: MetricsSource): Promise<void> {
    send(response, 200, await source.metrics(), source.contentType);
  }

  function answerWith(response: ServerResponse, work: Promise<void>): true {
    work.catch(() => send(response, 503, JSON.stringify({ ready: false })));
    return true;
  }

  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const path = request.url?.split('?', 1)[0];
    if (path === '/livez') {
      send(response, 200, JSON.stringify({ alive: true }));
      return true;
    }
    if (path === '/readyz') return answerWith(response, readyz(response));
    const source = path === '/metrics' ? metrics?.() : undefined;
    if (source) return answerWith(response, scrape(response, source));
    return false;
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'application/json',
): void {
  if (response.headersSent) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}

export interface HealthListenerOptions extends HealthOptions {
  port: number;
  /** All interfaces when not given: probes come from outside the pod. */
  host?: string;
}

/** A module that answers probes and the scraper on a port of its own; the first to start, the last to stop. */
export function healthListener({ port, host, ...options }: HealthListenerOptions): Module {
  const handle = createHealthHandler(options);
  const server = createServer((request, response) => {
    if (!handle(request, response)) send(response, 404, JSON.stringify({ error: 'not_found' }));
  });
  server.headersTimeout = 5000;
  server.requestTimeout = 5000;
  return {
    name: 'health',
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
