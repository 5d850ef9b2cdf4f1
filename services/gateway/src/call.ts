import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { turn } from '@countersign/platform';
import type { OpenSpan, Trace } from '@countersign/platform';

import type { KnownPrincipal } from './store/index.js';

/** One HTTP call on its way through the gateway. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** As it was sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The text after the question mark; '' when there is none. */
  readonly query: string;
  readonly trace: Trace;
  /** Of the whole call; none is recorded while tracing is off. */
  readonly span: OpenSpan;
  /** The person who is signed in, once that is known: a page that refuses names their tenant. */
  reader?: KnownPrincipal;
  /** The template of the path, such as `/v2/requests/{id}`, once it is known: names it in metrics. */
  route: string;
  /** How long it waited for something new (protocol §6.5), milliseconds. */
  heldMs: number;
}

/** For paths without a route. */
export const NO_ROUTE = 'none';

export type Handler = (call: Call) => Promise<void> | void;

/** Below this the API answers, and always with JSON. */
export function isApi(path: string): boolean {
  return path === '/v2' || path.startsWith('/v2/');
}

export function redirect({ response }: Call, location: string): void {
  response.statusCode = 302;
  response.setHeader('Location', location);
  response.setHeader('Content-Length', '0');
  response.end();
}

/** Sends a whole text, or its UTF-8, with its length; the status is 200 unless set before. */
export function send({ response }: Call, type: string, text: string | Uint8Array): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** The kernel takes it in less than a millisecond. */
const SENT_AT_ONCE = 64 * 1024;

/**
 * As {@link send}, for answers of up to 20 MB: other calls get their turn between two pieces. A reader that is fast takes
 * all of it in one turn otherwise. Resolves when the last piece is given to the connection, or when that has closed.
 */
export async function sendLong({ response }: Call, type: string, bytes: Uint8Array): Promise<void> {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes.length);
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  for (let at = 0; at < bytes.length && !response.destroyed; at += SENT_AT_ONCE) {
    const isTaken = response.write(bytes.subarray(at, at + SENT_AT_ONCE));
    if (!isTaken) await once(response, 'drain', { signal: closed.signal }).catch(() => {});
    // Data that the kernel took at once drains within the same turn.
    await turn();
  }
  response.end();
}

export function sendJson(call: Call, text: string): void {
  send(call, 'application/json', text);
}

export function sendPage(call: Call, text: string): void {
  send(call, 'text/html; charset=utf-8', text);
}

/**
 * Pages answer browsers with HTML and clients that accept JSON with JSON (R30); a client that accepts neither is a program.
 */
export function wantsHtml({ request }: Call): boolean {
  const accept = request.headers.accept ?? '';
  return accept.includes('text/html') && request.headers['sec-fetch-dest'] !== 'empty';
}
