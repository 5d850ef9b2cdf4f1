import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { RawData, WebSocket } from 'ws';
import type { ServerConfig } from '../config.js';
import { connect, isFull } from '../connections.js';
import type { Core } from '../core.js';
import { Fault } from '../fault.js';
import { receive, receiveBinary } from '../inbound.js';
import { verifyToken } from '../tokens.js';
import type { Caller } from '../tokens.js';
import { errorText, queryOf } from './answers.js';
import { isAllowedOrigin } from '../origins.js';
import type { Transport } from './transport.js';

export interface WebSocketEntrance {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

// How long a client may take over its half of the closing handshake.
const CLOSING = 1000;

export function createWebSocketEntrance(core: Core, secret: string): WebSocketEntrance {
  const { config } = core;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // What is larger than a message may be gets an answer; what is larger than this is not even read.
    maxPayload: 2 * config.maxMessageBytes,
    perMessageDeflate: compression(config),
  });

  return {
    async upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy());
      const { path, token } = queryOf(request.url);
      if (path !== '/proto/websocket') return turnAway(socket, 404);
      if (!isAllowedOrigin(request.headers.origin, config.allowedOrigins)) {
        return turnAway(socket, 403);
      }
      if (isFull(core)) return turnAway(socket, 503);
      const caller = await callerOf(core, token, secret);
      if (isFull(core)) return turnAway(socket, 503);
      if (socket.destroyed) return;
      server.handleUpgrade(request, socket, head, (client) => {
        if (caller instanceof Fault) dismiss(core, client, caller);
        else enter(core, client, caller);
      });
    },
  };
}

function enter(core: Core, client: WebSocket, caller: Caller): void {
  const connection = connect(core, webSocketTransport(client), caller);
  client.on('message', (data: RawData, isBinary: boolean) => {
    // Whatever still comes from a connection that was parted with is nobody's.
    if (connection.conversation.connection !== connection) return;
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat([data as never].flat() as Buffer[]);
    if (isBinary) receiveBinary(core, connection, bytes);
    else receive(core, connection, bytes.toString('utf8'));
  });
  client.on('error', () => core.detach(connection, 1009, 'protocol'));
  client.on('close', (code) => core.detach(connection, code, 'closed'));
}

/** A browser cannot see why an upgrade was refused, so a wrong token is told in the connection. */
function dismiss(core: Core, client: WebSocket, fault: Fault): void {
  client.on('error', () => client.terminate());
  core.emit('error', fault);
  client.send(errorText(fault, core.now()));
  closeSoon(client, 1008, fault.code);
}

async function callerOf(core: Core, token: string | null, secret: string) {
  try {
    const rules = { secret, expiresIn: core.config.jwtExpiresIn };
    return await verifyToken(token, rules, core.now());
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function webSocketTransport(client: WebSocket): Transport {
  return {
    kind: 'websocket',
    ordered: true,
    binary: true,
    handle: { ws: client },
    send(text, binary) {
      if (client.readyState !== client.OPEN) return;
      client.send(text);
      if (binary !== undefined) client.send(binary);
    },
    buffered: () => client.bufferedAmount,
    hold: () => client.pause(),
    release() {
      if (client.isPaused) client.resume();
    },
    close: (code, reason) => closeSoon(client, code, reason),
    terminate: () => client.terminate(),
  };
}

function closeSoon(client: WebSocket, code: number, reason: string): void {
  if (client.readyState === client.CLOSED) return;
  if (client.isPaused) client.resume();
  if (client.readyState === client.OPEN) client.close(isSendable(code) ? code : 1000, reason);
  const timer = setTimeout(() => client.terminate(), CLOSING);
  timer.unref();
  client.once('close', () => clearTimeout(timer));
}

// 1004 to 1006 and 1015 say what happened and are never sent.
function isSendable(code: number): boolean {
  return code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code);
}

function turnAway(socket: Duplex, status: 403 | 404 | 503): void {
  const name = { 403: 'Forbidden', 404: 'Not Found', 503: 'Service Unavailable' }[status];
  socket.end(`HTTP/1.1 ${status} ${name}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

// Nothing is remembered from one message to the next: a thousand connections would each keep two windows.
function compression({ enableCompression }: ServerConfig) {
  if (!enableCompression) return false;
  return {
    threshold: 1024,
    concurrencyLimit: 4,
    serverNoContextTakeover: true,
    clientNoContextTakeover: true,
    zlibDeflateOptions: { level: 1, memLevel: 7 },
  };
}
