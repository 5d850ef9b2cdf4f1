import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Logger } from '@countersign/platform';
import type { WitnessAnswer } from './answers.js';
import type { WitnessState } from './state.js';

export interface WitnessServerDeps {
  readonly answer: (body: string) => Promise<WitnessAnswer>;
  readonly state: Pick<WitnessState, 'byHash'>;
  readonly log: Logger;
}

/** The proof has 3 KB at most; a checkpoint may have many signatures, those of post-quantum witnesses 3 KB each. */
const MOST_BYTES = 131_072;
const MOST_CONNECTIONS = 512;
const CHECKPOINT = /^\/([0-9a-f]{64})\/checkpoint$/;
const PLAIN = 'text/plain; charset=utf-8';

/** `POST /add-checkpoint`, `GET /<hash of an origin>/checkpoint` (c2sp.org/tlog-witness) and `GET /healthz`. */
export function witnessServer(deps: WitnessServerDeps): Server {
  const server = createServer((request, response) => {
    handle(deps, request, response).catch((error: unknown) => {
      // The client has gone away in the middle of its request.
      if (request.destroyed && !request.complete) return;
      deps.log.error({ err: error }, 'a request failed');
      send(response, { status: 503, type: PLAIN, text: 'This witness has failed.\n' });
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = 5000;
  server.requestTimeout = 10_000;
  // Longer than the pause of a log between two checkpoints.
  server.keepAliveTimeout = 60_000;
  return server;
}

async function handle(
  { answer, state }: WitnessServerDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '' } = request;
  if (url === '/add-checkpoint') {
    if (method !== 'POST') return send(response, plain(405, 'Send a POST.'));
    const body = await bodyOf(request);
    if (body === null) {
      response.setHeader('Connection', 'close');
      return send(response, plain(413, 'The request is too long or no UTF-8.'));
    }
    return send(response, await answer(body));
  }
  if (method !== 'GET' && method !== 'HEAD') return send(response, plain(404, 'Not found.'));
  if (url === '/healthz') return send(response, plain(200, 'ok'));
  const signed = state.byHash(CHECKPOINT.exec(url)?.[1] ?? '');
  if (signed === null) return send(response, plain(404, 'Not found.'));
  return send(response, { status: 200, type: PLAIN, text: signed.checkpoint });
}

/** Null when it is too long, or no UTF-8. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The end of the loop alone would end the connection, and the client would get no answer.
  const iterator = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const chunk of iterator) {
    size += chunk.length;
    if (size > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    return null;
  }
}

function plain(status: number, says: string): WitnessAnswer {
  return { status, type: PLAIN, text: `${says}\n` };
}

function send(response: ServerResponse, { status, type, text }: WitnessAnswer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}
