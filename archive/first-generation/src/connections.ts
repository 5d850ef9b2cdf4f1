import { randomUUID } from 'node:crypto';
import type { Core } from './core.js';
import { sayHai } from './handshake.js';
import { abandonRuns } from './runs.js';
import { createConversation } from './session.js';
import type { Connection, Conversation } from './session.js';
import type { Caller } from './tokens.js';
import { abandonCalls } from './tool-calls.js';
import type { Transport } from './transports/transport.js';

export function isFull(core: Core): boolean {
  return core.directory.active() >= core.config.maxConnections;
}

/** A new connection with a session of its own, until its handshake resumes an older one. */
export function connect(core: Core, transport: Transport, caller: Caller): Connection {
  const now = core.now();
  const conversation = createConversation(randomUUID(), caller.userId, core.config, now);
  const connection: Connection = {
    transport,
    ...caller,
    openedAt: now,
    conversation,
    awaited: undefined,
    ping: undefined,
    lastPing: now,
    refused: 0,
    refusedOfLate: 0,
  };
  conversation.connection = connection;
  conversation.session.connected = true;
  Object.assign(conversation.session, transport.handle);
  core.directory.add(conversation);
  core.statistics.connected();
  core.log('connect', { session: conversation.session.id, transport: transport.kind });
  core.emit('connect', conversation.session.id);
  sayHai(core, conversation, transport.binary);
  return connection;
}

/** Parts with a connection. A session that has shaken hands is kept for a while, to be resumed. */
export function disconnect(core: Core, connection: Connection, code: number, reason: string): void {
  const { conversation, transport } = connection;
  if (conversation.connection !== connection) return;
  const { session } = conversation;
  conversation.connection = undefined;
  conversation.detachedAt = core.now();
  session.connected = false;
  delete session.ws;
  delete session.sseResponse;
  delete session.httpResponse;
  core.outbound.flush(conversation);
  transport.close(code, reason);
  core.log('disconnect', { session: session.id, code, reason, refused: connection.refused });
  core.emit('disconnect', session.id);
  if (!session.handshakeCompleted) endSession(core, conversation);
  else makeRoom(core, session.userId);
}

/** The session is over: nobody can resume it any more. */
export function endSession(core: Core, conversation: Conversation): void {
  abandonCalls(core, conversation);
  abandonRuns(core, conversation);
  core.directory.remove(conversation);
}

/** As many sessions wait to be resumed as may be connected; who comes and goes all the time loses its own first. */
function makeRoom(core: Core, userId: string): void {
  const waiting = core.directory.detached();
  if (waiting.length <= core.config.maxConnections) return;
  const own = waiting.filter(({ session }) => session.userId === userId);
  const victim = own.length > 1 ? own[0] : waiting[0];
  if (victim !== undefined) endSession(core, victim);
}
