import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transport } from './transport.js';

/** Server-sent events: one message per `data:` field. */
export function sseTransport(request: IncomingMessage, response: ServerResponse): Transport {
  begin(response, 'text/event-stream');
  return {
    ...common(request, response),
    kind: 'sse',
    handle: { sseResponse: response },
    send: (text) => void response.write(`data: ${text}\n\n`),
  };
}

/** HTTP streaming: one message per line. */
export function httpTransport(request: IncomingMessage, response: ServerResponse): Transport {
  begin(response, 'application/x-ndjson');
  return {
    ...common(request, response),
    kind: 'http',
    handle: { httpResponse: response },
    send: (text) => void response.write(`${text}\n`),
  };
}

const CLOSING = 1000;

function begin(response: ServerResponse, type: string): void {
  response.writeHead(200, {
    'Content-Type': type,
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
  });
  response.flushHeaders();
}

function common(
  request: IncomingMessage,
  response: ServerResponse,
): Omit<Transport, 'kind' | 'handle' | 'send'> {
  return {
    ordered: false,
    binary: false,
    buffered: () => response.writableLength,
    hold: () => void request.pause(),
    release: () => void request.resume(),
    close() {
      response.end();
      // Whoever does not read the end of it either is not waited for.
      const timer = setTimeout(() => response.destroy(), CLOSING);
      timer.unref();
      response.once('close', () => clearTimeout(timer));
    },
    terminate: () => void response.destroy(),
  };
}
