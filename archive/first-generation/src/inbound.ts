import type { Core } from './core.js';
import { parseMessage } from './envelope.js';
import type { Message } from './envelope.js';
import { Fault } from './fault.js';
import { greet } from './handshake.js';
import type { MessageType } from './payloads.js';
import { requestReplay } from './resumption.js';
import { cancelRun, failRun, finishRun, startRun } from './runs.js';
import { acknowledge } from './session.js';
import type { Connection, Conversation } from './session.js';
import { cancelCall, startCall } from './tool-calls.js';
import type { Channel } from './values.js';

/** What the client hears when its message was refused. */
export type Refusal = { readonly message: Message; readonly fault: Fault };

type Handler = (core: Core, from: Conversation, message: Message) => void;

// Content spends a client's credits and stops at a paused channel; the rest keeps the session itself going.
const CONTENT: ReadonlySet<MessageType> = new Set<MessageType>([
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_PART',
  'TEXT_MESSAGE_END',
  'AUDIO_CHUNK',
]);
const TOOL_TRAFFIC: ReadonlySet<MessageType> = new Set<MessageType>([
  'TOOL_CALL',
  'TOOL_UPDATE',
  'TOOL_DONE',
]);

const HANDLERS: { readonly [type in MessageType]?: Handler } = {
  PING: pong,
  PONG: heartbeatAnswered,
  REPLAY_REQUEST: requestReplay,
  RUN_STARTED: startRun,
  RUN_FINISHED: finishRun,
  RUN_CANCEL: cancelRun,
  RUN_ERROR: failRun,
  TEXT_MESSAGE_START: text,
  TEXT_MESSAGE_PART: text,
  TEXT_MESSAGE_END: text,
  AUDIO_CHUNK: audio,
  TOOL_CALL: startCall,
  TOOL_CANCEL: cancelCall,
  TOOL_LIST: listTools,
  TOOL_SCHEMA: tellSchema,
  FLOW_UPDATE: giveMore,
  PAUSE_CHANNEL: pause,
  RESUME_CHANNEL: resume,
};

/** Takes one text of a client. Whatever is wrong with it is told to that client alone; the refusal, or nothing. */
export function receive(core: Core, connection: Connection, raw: string): Refusal | undefined {
  const now = core.now();
  core.statistics.received(now);
  try {
    const bytes = Buffer.byteLength(raw);
    if (bytes > core.config.maxMessageBytes) {
      throw new Fault('INVALID_MESSAGE', 'The message is too large.');
    }
    accept(core, connection, parseMessage(raw), bytes);
  } catch (error) {
    return refuse(core, connection, error);
  }
  return undefined;
}

/** Takes a binary frame: the one that a message announced, or one that comes by itself. */
export function receiveBinary(core: Core, connection: Connection, data: Buffer): void {
  const { awaited, conversation } = connection;
  connection.awaited = undefined;
  conversation.session.lastActivity = core.now();
  try {
    if (data.length > core.config.maxMessageBytes) {
      throw new Fault('INVALID_MESSAGE', 'The frame is too large.');
    }
    if (!conversation.session.handshakeCompleted) throw tooEarly();
    if (awaited === undefined) {
      core.statistics.received(core.now());
      conversation.allowance.take('AUDIO_IN', data.length);
    } else if (data.length !== awaited.bin_len) {
      throw new Fault('INVALID_MESSAGE', 'The frame is not as long as was announced.', {
        relatedId: awaited.id,
      });
    } else {
      dispatch(core, conversation, awaited);
    }
    core.emit('binary', conversation.session.id, data);
  } catch (error) {
    refuse(core, connection, error);
  }
}

function accept(core: Core, connection: Connection, message: Message, bytes: number): void {
  const { session, guard } = connection.conversation;
  session.lastActivity = core.now();
  connection.awaited = undefined;
  if (message.type === 'HAI') {
    greet(core, connection, message);
    return;
  }
  if (!session.handshakeCompleted) throw tooEarly(message.id);
  if (guard.check(message.seq, message.id)) connection.conversation.heard = message.seq;
  acknowledge(connection.conversation, message.ack);
  pay(connection.conversation, message, bytes);
  if (message.bin_len === undefined) {
    dispatch(core, connection.conversation, message);
    return;
  }
  if (!connection.transport.binary || message.bin_len > core.config.maxMessageBytes) {
    throw new Fault('INVALID_MESSAGE', 'A binary frame of this kind cannot follow.', {
      relatedId: message.id,
    });
  }
  connection.awaited = message;
}

function pay(from: Conversation, message: Message, bytes: number): void {
  const { type, channel, id } = message;
  const isContent = CONTENT.has(type);
  if (!isContent && !TOOL_TRAFFIC.has(type)) {
    spend(from, 'SYSTEM', bytes, id);
    return;
  }
  if (channel === 'SYSTEM') {
    throw new Fault('INVALID_MESSAGE', 'Messages of this type do not travel on SYSTEM.', {
      relatedId: id,
    });
  }
  const pausedByClient = isContent && from.session.pausedChannels.has(channel);
  if (pausedByClient || from.pausedByServer.has(channel)) {
    throw new Fault('CHANNEL_PAUSED', 'This channel is paused.', {
      relatedId: id,
      detail: { channel },
    });
  }
  spend(from, channel, bytes + (message.bin_len ?? 0), id);
}

function spend(from: Conversation, channel: Channel, bytes: number, relatedId: string): void {
  try {
    from.allowance.take(channel, bytes);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, error.message, { relatedId, detail: error.detail });
  }
}

function dispatch(core: Core, from: Conversation, message: Message): void {
  HANDLERS[message.type]?.(core, from, message);
  core.emit('message', from.session.id, message);
}

function refuse(core: Core, { conversation }: Connection, error: unknown): Refusal {
  // Whatever else goes wrong (a payload nested too deeply to be sent back, say) is the message's fault as well.
  const fault =
    error instanceof Fault
      ? error
      : new Fault('INVALID_MESSAGE', 'The message could not be handled.', { cause: error });
  return { fault, message: core.report(conversation, fault) };
}

function tooEarly(relatedId?: string): Fault {
  return new Fault('INVALID_MESSAGE', 'The handshake comes first.', {
    ...(relatedId === undefined ? {} : { relatedId }),
  });
}

function pong(core: Core, from: Conversation, { payload }: Message): void {
  const { nonce } = payload;
  core.outbound.send(from, {
    type: 'PONG',
    channel: 'SYSTEM',
    payload: nonce === undefined ? {} : { nonce },
  });
}

function heartbeatAnswered(core: Core, { connection }: Conversation, { payload }: Message): void {
  const ping = connection?.ping;
  if (connection === undefined || ping === undefined) return;
  if (payload['nonce'] !== undefined && payload['nonce'] !== ping.nonce) return;
  connection.ping = undefined;
  core.statistics.answered(core.now() - ping.at);
}

function text(core: Core, from: Conversation, message: Message): void {
  core.emit('textMessage', from.session.id, message);
}

function audio(core: Core, from: Conversation, message: Message): void {
  const { data, mime } = message.payload;
  const hasBytes = data !== undefined || message.bin_len !== undefined;
  if (!hasBytes || (mime === undefined && message.bin_mime === undefined)) {
    throw new Fault('INVALID_MESSAGE', 'Audio needs its bytes and their type.', {
      relatedId: message.id,
    });
  }
  core.emit('audioChunk', from.session.id, message);
}

function listTools(core: Core, from: Conversation): void {
  const tools = core.tools.list().map(({ name, description }) => ({ name, description }));
  core.outbound.send(from, { type: 'TOOL_LIST', channel: 'SYSTEM', payload: { tools } });
}

function tellSchema(core: Core, from: Conversation, message: Message): void {
  const tool = core.tools.find(message.payload['tool'] as string);
  if (tool === undefined) {
    throw new Fault('TOOL_NOT_FOUND', 'There is no tool of this name.', { relatedId: message.id });
  }
  core.outbound.send(from, {
    type: 'TOOL_SCHEMA',
    channel: 'SYSTEM',
    payload: { tool: tool.name, schema: tool.inputSchema },
  });
}

function giveMore(core: Core, from: Conversation, { payload }: Message): void {
  const channel = payload['channel'] as Channel;
  const { credits, byteCredits } = from.session;
  const most = core.config.flowControl.maxCredits;
  const messages = (credits.get(channel) ?? 0) + ((payload['add_messages'] ?? 0) as number);
  const bytes = (byteCredits.get(channel) ?? 0) + ((payload['add_bytes'] ?? 0) as number);
  credits.set(channel, Math.min(Math.max(most, credits.get(channel) ?? 0), messages));
  byteCredits.set(channel, Math.min(Number.MAX_SAFE_INTEGER, bytes));
  core.outbound.flush(from);
}

function pause(_core: Core, from: Conversation, { payload }: Message): void {
  from.session.pausedChannels.add(payload['channel'] as Channel);
}

function resume(core: Core, from: Conversation, { payload }: Message): void {
  from.session.pausedChannels.delete(payload['channel'] as Channel);
  core.outbound.flush(from);
}
