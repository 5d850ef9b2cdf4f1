import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { STEP_HANDLERS } from './steps.js';
import type { Yardstick } from './steps.js';

/** As many as the product's services have together when they are busy; more made it no faster. */
const CONNECTIONS = 16;

/**
 * The yardstick's one process: node:http, JSON.parse, one signature, one function call, an answer. It has no
 * authentication, no checks beyond the database's, and sends no events.
 */
function serve(databaseUrl: string): void {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  const { privateKey } = generateKeyPairSync('ed25519');
  const server = createServer((request, response) => {
    answer({ pool, key: privateKey, origin }, request, response).catch((error: unknown) => {
      response.writeHead(500);
      response.end(String(error));
    });
  });
  let origin = '';
  server.listen(0, '127.0.0.1', () => {
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    process.send?.({ origin });
  });
}

async function answer(
  yardstick: Yardstick,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // /v2/requests, /v2/requests/{id}/{step}
  const parts = (request.url ?? '').split('/');
  const handler = STEP_HANDLERS[parts[4] ?? parts[2] ?? ''];
  if (handler === undefined) throw new Error(`no step: ${request.url}`);
  const text = await handler(yardstick, parts[3] ?? '', JSON.parse(await bodyOf(request)));
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => resolve(Buffer.concat(chunks).toString()));
    request.once('error', reject);
  });
}

process.once('message', ({ databaseUrl }: { databaseUrl: string }) => serve(databaseUrl));
process.once('disconnect', () => process.exit());
