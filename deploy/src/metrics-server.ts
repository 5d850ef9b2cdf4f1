import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Registry } from '@countersign/platform';

/** `GET /metrics` for Prometheus, and `GET /healthz`, for commands that run on. */
export function metricsServer(registry: Registry): Server {
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/healthz') {
      response.end('ok\n');
    } else if (request.method === 'GET' && request.url === '/metrics') {
      registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        () => response.writeHead(503).end(),
      );
    } else {
      response.writeHead(404).end();
    }
  });
  server.headersTimeout = 5000;
  server.requestTimeout = 5000;
  return server;
}
