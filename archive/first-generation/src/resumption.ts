import type { Core } from './core.js';
import type { Message } from './envelope.js';
import { Fault } from './fault.js';
import { renew } from './session.js';
import type { Connection, Conversation } from './session.js';

// Messages sent again for one credit.
const PER_CREDIT = 10;

/**
 * The session that a handshake with `last_rx_seq` means: the one it names, or, since clients take over the id of the
 * server's new handshake, the only one of this user that has lost its connection. Never one of somebody else.
 */
export function resumable(
  core: Core,
  connection: Connection,
  named: string,
): Conversation | undefined {
  const { conversation, userId } = connection;
  const found = core.directory.find(named);
  if (
    found !== undefined &&
    found !== conversation &&
    found.session.userId === userId &&
    found.session.handshakeCompleted
  ) {
    return found;
  }
  const lost = core.directory.detached(userId);
  return lost.length === 1 ? lost[0] : undefined;
}

/** The connection goes on with the older session; the provisional one was never more than its handshake. */
export function takeOver(core: Core, connection: Connection, older: Conversation): void {
  const provisional = connection.conversation;
  if (older.connection !== undefined) core.detach(older.connection, 1000, 'resumed elsewhere');
  provisional.connection = undefined;
  core.directory.rename(provisional, older);
  renew(older, core.config, core.now());
  older.connection = connection;
  older.session.connected = true;
  older.session.lastActivity = core.now();
  older.session.handshakeCompleted = false;
  Object.assign(older.session, connection.transport.handle);
  connection.conversation = older;
}

/** What the client has missed. Where some of it is gone it is told so, and gets the rest. */
export function replayAfter(
  core: Core,
  to: Conversation,
  lastSeen: string,
  relatedId: string,
  resumed: boolean,
): void {
  const from = BigInt(lastSeen) + 1n;
  to.window.expire(core.now());
  // A number beyond what this session has sent is one of a session that is no more.
  const isGone = resumed ? from <= to.window.lost : BigInt(lastSeen) > to.sent;
  // Taken before the error is sent: that goes into the window as well.
  const entries = resumed ? to.window.between(from, undefined) : [];
  if (isGone) core.report(to, gone(to, relatedId));
  core.outbound.replay(to, entries);
}

/** REPLAY_REQUEST, both ends included. @throws {Fault} INVALID_MESSAGE, INSUFFICIENT_CREDITS */
export function requestReplay(core: Core, to: Conversation, message: Message): void {
  const from = BigInt(message.payload['from_seq'] as string);
  const until = message.payload['to_seq'];
  const last = until === undefined ? undefined : BigInt(until as string);
  if (from > to.sent || (last !== undefined && last < from)) {
    throw new Fault('INVALID_MESSAGE', 'There are no such messages.', { relatedId: message.id });
  }
  to.window.expire(core.now());
  // A short question with a long answer pays for the answer.
  const entries = to.window.between(from, last);
  to.allowance.take('SYSTEM', 0, Math.ceil(entries.length / PER_CREDIT));
  if (from <= to.window.lost) core.report(to, gone(to, message.id));
  core.outbound.replay(to, entries);
}

function gone(to: Conversation, relatedId: string): Fault {
  return new Fault('INVALID_MESSAGE', 'Some of these messages are no longer kept.', {
    relatedId,
    detail: { oldest_seq: to.window.messages.keys().next().value ?? null },
  });
}
