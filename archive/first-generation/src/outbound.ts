import { randomUUID } from 'node:crypto';
import type { ServerConfig } from './config.js';
import type { Message } from './envelope.js';
import { Fault } from './fault.js';
import { TYPES } from './payloads.js';
import type { MessageType } from './payloads.js';
import type { ReplayEntry } from './replay-window.js';
import type { Conversation } from './session.js';
import { isChannel, isName } from './values.js';
import type { Channel } from './values.js';

/** What is given to send: the server adds `session`, `seq` and `ack`, and the rest where it is missing. */
export type Draft = Partial<Message> & { type: MessageType; channel: Channel };

export interface Outbound {
  /** Sends, or keeps until it can be sent. @throws {Fault} INVALID_MESSAGE for a draft that cannot be a message */
  send(to: Conversation, draft: Draft, binary?: Buffer): Message;
  /** Sends what waits, as far as it can be; without a connection, all of it into the replay window. */
  flush(to: Conversation): void;
  /** Sends again, under the numbers they had. */
  replay(to: Conversation, entries: readonly ReplayEntry[]): void;
  /** Whether the client reads so slowly that the server should hold back. */
  isPressed(to: Conversation): boolean;
}

// Sending these again would say what no longer holds.
const MOMENTARY: ReadonlySet<string> = new Set([
  'HAI',
  'PING',
  'PONG',
  'FLOW_UPDATE',
  'PAUSE_CHANNEL',
  'RESUME_CHANNEL',
]);
const TYPE_SET: ReadonlySet<unknown> = new Set(TYPES);

export function createOutbound(
  config: ServerConfig,
  now: () => number,
  onSlow: (conversation: Conversation) => void,
): Outbound {
  const { flowControl, maxBufferedBytes } = config;

  function send(to: Conversation, draft: Draft, binary?: Buffer): Message {
    const message = envelopeOf(to, draft, binary, now());
    const text = number(to, message);
    const bytes = Buffer.byteLength(text) + (binary?.length ?? 0);
    if (bytes > maxBufferedBytes) throw new Fault('INVALID_MESSAGE', 'The message is too large.');
    if (mayGo(to, message.channel, bytes) && !isQueued(to, message.channel)) {
      transmit(to, message, text, bytes, binary);
    } else {
      keep(to, message, bytes, binary);
    }
    return message;
  }

  function mayGo(to: Conversation, channel: Channel, bytes: number): boolean {
    const { session, connection } = to;
    // Nobody is there: it goes into the replay window.
    if (connection === undefined || channel === 'SYSTEM') return true;
    if (session.pausedChannels.has(channel) || isPressed(to)) return false;
    if (!flowControl.enabled) return true;
    return credit(session.credits, channel) >= 1 && credit(session.byteCredits, channel) >= bytes;
  }

  function transmit(
    to: Conversation,
    message: Message,
    text: string,
    bytes: number,
    binary: Buffer | undefined,
  ): void {
    const { session, connection } = to;
    to.sent += 1n;
    session.lastDeliveredSeq = message.seq;
    if (!MOMENTARY.has(message.type)) to.window.add(message, binary, bytes, now());
    if (connection === undefined) return;
    if (flowControl.enabled && message.channel !== 'SYSTEM') {
      session.credits.set(message.channel, credit(session.credits, message.channel) - 1);
      session.byteCredits.set(
        message.channel,
        credit(session.byteCredits, message.channel) - bytes,
      );
    }
    write(to, message, text, binary);
  }

  function write(
    to: Conversation,
    message: Message,
    text: string,
    binary: Buffer | undefined,
  ): void {
    const transport = to.connection?.transport;
    if (transport === undefined) return;
    if (binary === undefined || transport.binary) transport.send(text, binary);
    else transport.send(JSON.stringify(inText(message, binary)));
    if (transport.buffered() > maxBufferedBytes) onSlow(to);
  }

  function keep(
    to: Conversation,
    message: Message,
    bytes: number,
    binary: Buffer | undefined,
  ): void {
    to.session.pendingMessages.set(message.id, message);
    to.waiting.set(message.id, { bytes, binary });
    to.waitingBytes += bytes;
    const buffered = to.connection?.transport.buffered() ?? 0;
    const tooMany = to.waiting.size > config.replayWindowSize;
    if (tooMany || to.waitingBytes + buffered > maxBufferedBytes) onSlow(to);
  }

  function flush(to: Conversation): void {
    const blocked = new Set<Channel>();
    for (const [id, message] of to.session.pendingMessages) {
      const kept = to.waiting.get(id);
      if (kept === undefined || blocked.has(message.channel)) continue;
      if (!mayGo(to, message.channel, kept.bytes)) {
        blocked.add(message.channel);
        continue;
      }
      to.session.pendingMessages.delete(id);
      to.waiting.delete(id);
      to.waitingBytes -= kept.bytes;
      transmit(to, message, number(to, message), kept.bytes, kept.binary);
    }
  }

  function replay(to: Conversation, entries: readonly ReplayEntry[]): void {
    for (const { message, binary } of entries) {
      write(to, message, JSON.stringify(message), binary);
    }
  }

  function isPressed(to: Conversation): boolean {
    const buffered = to.connection?.transport.buffered() ?? 0;
    return buffered > flowControl.backPressureThreshold * maxBufferedBytes;
  }

  return { send, flush, replay, isPressed };
}

/** The order within a channel is kept. */
function isQueued(to: Conversation, channel: Channel): boolean {
  if (to.waiting.size === 0 || to.connection === undefined || channel === 'SYSTEM') return false;
  for (const message of to.session.pendingMessages.values()) {
    if (message.channel === channel) return true;
  }
  return false;
}

/** Gives the message its place in line and its text. */
function number(to: Conversation, message: Message): string {
  message.seq = (to.sent + 1n).toString();
  return JSON.stringify(message);
}

function envelopeOf(
  to: Conversation,
  draft: Draft,
  binary: Buffer | undefined,
  now: number,
): Message {
  if (!TYPE_SET.has(draft.type) || !isChannel(draft.channel)) {
    throw new Fault('INVALID_MESSAGE', 'A message needs a type and a channel of the wire.');
  }
  const id = isName(draft.id) && !to.waiting.has(draft.id) ? draft.id : randomUUID();
  return {
    ...draft,
    id,
    session: to.session.id,
    seq: '',
    ...(to.heard === undefined ? {} : { ack: to.heard }),
    ts: isName(draft.ts) ? draft.ts : new Date(now).toISOString(),
    payload: draft.payload ?? {},
    ...(binary === undefined ? {} : { bin_len: binary.length }),
  };
}

/** The same message for a transport without binary frames. */
function inText(message: Message, binary: Buffer): Message {
  const { bin_len: _length, bin_mime: mime, ...rest } = message;
  const payload = { ...rest.payload, ...(mime === undefined ? {} : { mime }) };
  return { ...rest, payload: { ...payload, data: binary.toString('base64') } };
}

function credit(credits: ReadonlyMap<Channel, number>, channel: Channel): number {
  return credits.get(channel) ?? 0;
}
