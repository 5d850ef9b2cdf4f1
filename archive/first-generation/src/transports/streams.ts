import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, isFull } from '../connections.js';
import type { Core } from '../core.js';
import { Fault, FAULT_STATUS } from '../fault.js';
import { receive } from '../inbound.js';
import type { Refusal } from '../inbound.js';
import type { Connection } from '../session.js';
import { bearerOf, verifyToken } from '../tokens.js';
import type { Caller } from '../tokens.js';
import { isObject } from '../values.js';
import { answer, answerFault } from './answers.js';
import { readLines } from './lines.js';
import { httpTransport, sseTransport } from './response.js';
import type { Transport } from './transport.js';

// A body that is no stream is here by then.
const BODY_TIME = 10_000;

/** GET /proto/sse: the server's half; the client's comes by POST. */
export async function openEvents(
  core: Core,
  secret: string,
  token: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const caller = await callerOf(core, secret, token, response);
  if (caller === undefined) return;
  if (isFull(core)) return answer(response, 503);
  enter(core, caller, response, () => sseTransport(request, response));
}

/** POST /proto/stream: a handshake opens a stream; anything for a session that has one is taken into it. */
export async function takePost(
  core: Core,
  secret: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const caller = await callerOf(core, secret, bearerOf(request.headers.authorization), response);
  if (caller === undefined) return;
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && type !== 'application/x-ndjson') {
    return refusePost(core, response, new Fault('INVALID_MESSAGE', 'The body must be JSON.'), 415);
  }
  read(core, caller, request, response);
}

function read(core: Core, caller: Caller, request: IncomingMessage, response: ServerResponse) {
  const late = setTimeout(() => request.destroy(), BODY_TIME);
  late.unref();
  let connection: Connection | undefined;
  let refusal: Refusal | undefined;

  readLines(request, core.config.maxMessageBytes, {
    line(text) {
      if (response.writableEnded || response.destroyed) return;
      connection ??= existing(core, caller, text) ?? opened(text);
      if (connection === undefined) {
        return refusePost(core, response, new Fault('INVALID_MESSAGE', 'No session takes this.'));
      }
      if (connection.conversation.connection !== connection) return;
      const refused = receive(core, connection, text);
      refusal ??= refused;
    },
    tooLong() {
      const fault = new Fault('INVALID_MESSAGE', 'The message is too large.');
      if (connection === undefined) refusePost(core, response, fault, 413);
      else refusal ??= { fault, message: core.report(connection.conversation, fault) };
    },
    end() {
      clearTimeout(late);
      if (response.headersSent || response.destroyed) return;
      if (refusal !== undefined) {
        answer(response, FAULT_STATUS[refusal.fault.code], JSON.stringify(refusal.message));
      } else if (connection !== undefined) answer(response, 202);
      else refusePost(core, response, new Fault('INVALID_MESSAGE', 'There is no message.'));
    },
  });

  function opened(text: string): Connection | undefined {
    if (nameOf(text)?.type !== 'HAI') return undefined;
    if (isFull(core)) {
      answer(response, 503);
      return undefined;
    }
    clearTimeout(late);
    return enter(core, caller, response, () => httpTransport(request, response));
  }
}

function enter(
  core: Core,
  caller: Caller,
  response: ServerResponse,
  transportOf: () => Transport,
): Connection {
  const connection = connect(core, transportOf(), caller);
  response.on('close', () => core.detach(connection, 1006, 'closed'));
  response.on('error', () => core.detach(connection, 1006, 'broken'));
  return connection;
}

/**
 * The stream that a posted message belongs to: the one it names; for a handshake the one that still waits for it; or
 * else the only one of the same token, for clients that name sessions themselves.
 */
function existing(core: Core, caller: Caller, text: string): Connection | undefined {
  const said = nameOf(text);
  if (said === undefined) return undefined;
  const streams = core.directory
    .connected()
    .flatMap(({ connection }) => (connection === undefined ? [] : [connection]))
    .filter(({ transport }) => transport.kind !== 'websocket')
    .filter(({ userId }) => userId === caller.userId);
  const named = streams.find(
    ({ conversation }) => conversation === core.directory.find(said.session),
  );
  const ofToken = streams.filter(({ tokenDigest }) => tokenDigest === caller.tokenDigest);
  if (said.type === 'HAI') {
    const waiting = ofToken.filter(
      ({ conversation, transport }) =>
        transport.kind === 'sse' && !conversation.session.handshakeCompleted,
    );
    const isWaiting = named !== undefined && !named.conversation.session.handshakeCompleted;
    if (isWaiting) return named;
    if (waiting.length === 1) return waiting[0];
    return named?.transport.kind === 'sse' ? named : undefined;
  }
  if (named !== undefined) return named;
  return ofToken.length === 1 ? ofToken[0] : undefined;
}

function nameOf(text: string): { type: unknown; session: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    return { type: value['type'], session: String(value['session']) };
  } catch {
    return undefined;
  }
}

async function callerOf(
  core: Core,
  secret: string,
  token: string | null | undefined,
  response: ServerResponse,
): Promise<Caller | undefined> {
  try {
    return await verifyToken(token, { secret, expiresIn: core.config.jwtExpiresIn }, core.now());
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    core.emit('error', error);
    answerFault(response, error, core.now());
    return undefined;
  }
}

/** Refuses a POST that belongs to no session. */
function refusePost(core: Core, response: ServerResponse, fault: Fault, status?: number): void {
  if (response.headersSent) return;
  core.statistics.received(core.now());
  core.statistics.failed();
  core.emit('error', fault);
  answerFault(response, fault, core.now(), status);
}
