import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { createTurn, newTrace } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

import type { ClientAddresses } from './client-address.js';
import { readOnNextTurn } from './read-on-next-turn.js';

/** All header lines of a call together (protocol §9.3). */
const HEADER_BYTES = 16 * 1024;
/** The parser's own limit: it counts names and values without their separators, and the path. */
const PARSER_BYTES = 24 * 1024;
const HEADER_MS = 10_000;
/** Longer than load balancers keep an idle connection, so that it is they who end it. */
const KEEP_ALIVE_MS = 65_000;
/**
 * Told to clients, which end an idle connection earlier when they are no load balancers: then none is left that a client
 * might use at the moment when a stopping gateway closes it. Shorter than LINGER_SECONDS.
 */
const KEEP_ALIVE_HINT = 'timeout=5';
/** A connection on which nothing moves at all, such as a client that does not read its answer. */
const SILENT_MS = 120_000;
/** How long an answered call may go on sending its body, or a refused client may keep its connection open. */
const LEFTOVER_MS = 2_000;
/** Time between two looks at whether a stopping listener still gets connections. */
const LOOK_MS = 50;
/** So many looks in turn without a new connection: callers are routed elsewhere. */
const QUIET_LOOKS = 20;
/** How much longer than planned a stopping listener answers while connections are open or still come. */
const LONGER_MS = 10_000;

export interface Listener {
  /** Resolves to the port that it listens on; for 0 that is a free one. */
  start(port: number, host: string): Promise<number>;
  /**
   * Answers calls for `lingerMs` more, and those under way, each with the last answer of its connection, because a client that
   * sends a call on a connection that is being closed loses it; for up to ten seconds longer while connections still come, which
   * routers that learn late of the end go on sending, and while clients leave some open, which they may be about to use. Then
   * accepts no new calls, waits for those under way, and ends the rest after `graceMs`. With 0, for a gateway that nothing is
   * routed to, it accepts none at once.
   */
  stop(graceMs: number, lingerMs: number): Promise<void>;
}

export interface ListenerOptions {
  readonly handler: RequestListener;
  /** Header lines of every response, for refusals before there is a request. */
  readonly headerLines: string;
  readonly origin: string;
  /** In which a whole call must have come. */
  readonly requestMs: number;
  readonly connections: ConnectionLimits;
}

export interface ConnectionLimits {
  /** Open at the same time; further ones are closed at once. */
  readonly most: number;
  /** The same of one client address. Connections of trusted proxies, which carry many clients, are not counted. */
  readonly perAddress: number;
  readonly addresses: ClientAddresses;
}

/** An HTTP/1.1 listener that slow, broken and oversized clients cannot hold (protocol §9.3). */
export function createListener(options: ListenerOptions): Listener {
  let stopping = false;
  const underWay = new Set<ServerResponse>();

  /** The answer is the last of its connection, which a client then does not use again. */
  const beLast = (response: ServerResponse) => {
    if (response.headersSent) return;
    response.shouldKeepAlive = false;
    response.removeHeader('keep-alive');
  };

  const answer: RequestListener = (request, response) => {
    if (headerBytes(request) > HEADER_BYTES) {
      refuseRaw(unreadable(), request.socket, options);
      return;
    }
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (stopping) beLast(response);
    else if (response.shouldKeepAlive) response.setHeader('keep-alive', KEEP_ALIVE_HINT);
    response.once('prefinish', () => keepFromDump(request));
    response.once('finish', () => endLeftover(request));
    options.handler(request, response);
  };
  const server = createServer(
    {
      maxHeaderSize: PARSER_BYTES,
      headersTimeout: Math.min(HEADER_MS, options.requestMs),
      requestTimeout: options.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false,
      noDelay: true,
    },
    answer,
  );
  server.setTimeout(SILENT_MS);
  server.maxConnections = options.connections.most;
  limitPerAddress(server, options.connections);
  // Otherwise the parser silently drops those beyond a number.
  server.maxHeadersCount = 0;
  // The body is asked for (100) only when nothing speaks against the call without it.
  server.on('checkContinue', answer);
  server.on('checkExpectation', answer);
  // An unknown method like any other.
  server.on('connect', (_request, socket) => refuseRaw(new Refusal('not_found'), socket, options));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else if (error.code === 'HPE_INVALID_METHOD')
      refuseRaw(new Refusal('not_found'), socket, options);
    else refuseRaw(unreadable(), socket, options);
  });

  return {
    start: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host }, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),

    async stop(graceMs, lingerMs) {
      stopping = true;
      for (const response of underWay) beLast(response);
      if (server.listening && lingerMs > 0) await lingered(server, lingerMs);
      // Calls that have come, and that a busy process has not read yet, are no longer idle then.
      await new Promise(setImmediate);
      await closed(server, graceMs);
    },
  };
}

function limitPerAddress(server: Server, { perAddress, addresses }: ConnectionLimits): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    if (addresses.isTrusted(socket.remoteAddress)) return;
    const address = addresses.of({ socket, headers: {} });
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

/**
 * Resolves after `ms`, once no connection is open and no more come. Looks are counted, not time: a process that stood still has not
 * seen yet what came meanwhile.
 */
async function lingered(server: Server, ms: number): Promise<void> {
  let quiet = 0;
  const note = () => (quiet = 0);
  server.on('connection', note);
  const begin = performance.now();
  const spent = () => performance.now() - begin;
  const isCalled = async () => quiet < QUIET_LOOKS || (await connectionsOf(server)) > 0;
  while (spent() < ms || (spent() < ms + LONGER_MS && (await isCalled()))) {
    await delay(LOOK_MS);
    quiet += 1;
  }
  server.off('connection', note);
}

const connectionsOf = (server: Server) => promisify(server.getConnections.bind(server))();

function closed(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    const end = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(end);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Node reads what is left of a body that was never begun as fast as it comes; one that was begun it leaves to us. */
function keepFromDump(request: IncomingMessage): void {
  if (!request.complete && !request.destroyed) request.read();
}

/**
 * An answer may be given before the body is there. The rest of it is read and thrown away for a
 * moment, because a connection closed with unread bytes loses the answer on its way.
 */
function endLeftover(request: IncomingMessage): void {
  if (request.destroyed) return;
  if (!request.complete) {
    request.on('data', () => readOnNextTurn(request, turnOfLeftovers));
    const end = setTimeout(() => request.socket.destroy(), LEFTOVER_MS);
    request.once('close', () => clearTimeout(end));
  }
  request.resume();
}

/** Apart from other large values: anybody can have a body refused, and would delay theirs. */
const turnOfLeftovers = createTurn();

function headerBytes({ rawHeaders }: IncomingMessage): number {
  // A colon and a space after each name, CR and LF after each value.
  let bytes = 2 * rawHeaders.length;
  for (const part of rawHeaders) bytes += part.length;
  return bytes;
}

/** The refusal of input that the parser or a time-out rejects. */
function unreadable(): Refusal {
  return new Refusal('invalid_json', {
    detail:
      'The request cannot be read: it is no HTTP/1.1, came too slowly, or has more than 16 KiB of headers.',
  });
}

/**
 * Refuses input that is no call yet, and ends the connection: 400 or 404, never 408 or 431. Nothing more is read, and a
 * client that does not close its side loses the connection after a moment, even if it goes on sending.
 */
function refuseRaw(
  refusal: Refusal,
  socket: Duplex,
  { headerLines, origin }: ListenerOptions,
): void {
  const underWay = (socket as Duplex & { _httpMessage?: { headersSent: boolean } })._httpMessage;
  if (!socket.writable || underWay?.headersSent) {
    socket.destroy();
    return;
  }
  const problem = JSON.stringify(refusal.toProblem(origin, newTrace().traceId));
  const reason = refusal.status === 404 ? 'Not Found' : 'Bad Request';
  socket.end(
    `HTTP/1.1 ${refusal.status} ${reason}\r\n${headerLines}Content-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(problem)}\r\nConnection: close\r\n\r\n${problem}`,
  );
  socket.pause();
  const end = setTimeout(() => socket.destroy(), LEFTOVER_MS);
  socket.once('close', () => clearTimeout(end));
}
