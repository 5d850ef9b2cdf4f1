import type { ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';
import { createAllowance } from './allowance.js';
import type { Allowance } from './allowance.js';
import type { ServerConfig } from './config.js';
import type { Message } from './envelope.js';
import { createReplayWindow } from './replay-window.js';
import type { ReplayWindow } from './replay-window.js';
import type { Run } from './run.js';
import { createSequenceGuard } from './sequence.js';
import type { SequenceGuard } from './sequence.js';
import type { Call } from './tool-execution.js';
import type { Transport } from './transports/transport.js';
import { CHANNELS } from './values.js';
import type { Channel } from './values.js';

/** The archived document's §2. Credits are what the client has given the server; its own are the server's business. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  connected: boolean;
  handshakeCompleted: boolean;
  /** Epoch milliseconds. */
  lastActivity: number;
  readonly credits: Map<Channel, number>;
  readonly byteCredits: Map<Channel, number>;
  /** Channels that the client has paused. */
  readonly pausedChannels: Set<Channel>;
  lastAck: string;
  lastDeliveredSeq: string;
  readonly replayWindow: ReadonlyMap<string, Message>;
  readonly activeRuns: Set<string>;
  /** What waits for credits, for a paused channel or for a slow connection. */
  readonly pendingMessages: Map<string, Message>;
  ws?: WebSocket;
  sseResponse?: ServerResponse;
  httpResponse?: ServerResponse;
}

/** A way to one client, as long as it lasts. */
export interface Connection {
  readonly transport: Transport;
  readonly userId: string;
  readonly tokenDigest: string;
  /** When its token ends, epoch milliseconds. */
  readonly expiresAt: number;
  readonly openedAt: number;
  /** Changes once: when the client's handshake resumes an older one. */
  conversation: Conversation;
  /** The message whose binary frame comes next. */
  awaited: Message | undefined;
  /** The heartbeat that has not been answered. */
  ping: { readonly nonce: string; readonly at: number } | undefined;
  lastPing: number;
  /** Messages refused, since it began and since the last look at it. */
  refused: number;
  refusedOfLate: number;
}

/** A session with everything that is not the library's user's business. It outlives its connections. */
export interface Conversation {
  readonly session: Session;
  connection: Connection | undefined;
  readonly window: ReplayWindow;
  allowance: Allowance;
  readonly guard: SequenceGuard;
  /** Number of the message sent last. */
  sent: bigint;
  /** The highest number heard from the client. */
  heard: string | undefined;
  readonly waiting: Map<string, { readonly bytes: number; readonly binary: Buffer | undefined }>;
  waitingBytes: number;
  /** Channels that the server has paused because the client reads too slowly. */
  readonly pausedByServer: Set<Channel>;
  readonly runs: Map<string, Run>;
  readonly calls: Map<string, Call>;
  /** Calls that have ended of late: whatever is said about them now comes too late. */
  readonly endedCalls: Set<string>;
  /** When its connection went, epoch milliseconds. */
  detachedAt: number;
}

export function createConversation(
  id: string,
  userId: string,
  config: ServerConfig,
  now: number,
): Conversation {
  const window = createReplayWindow({
    size: config.replayWindowSize,
    bytes: Math.min(config.maxBufferedBytes / 2, MOST_REPLAY_BYTES),
    time: config.replayWindowTime,
  });
  const session: Session = {
    id,
    userId,
    connected: false,
    handshakeCompleted: false,
    lastActivity: now,
    credits: new Map(),
    byteCredits: new Map(),
    pausedChannels: new Set(),
    lastAck: '0',
    lastDeliveredSeq: '0',
    replayWindow: window.messages,
    activeRuns: new Set(),
    pendingMessages: new Map(),
  };
  const conversation: Conversation = {
    session,
    connection: undefined,
    window,
    allowance: createAllowance(config.flowControl, now),
    guard: createSequenceGuard(true),
    sent: 0n,
    heard: undefined,
    waiting: new Map(),
    waitingBytes: 0,
    pausedByServer: new Set(),
    runs: new Map(),
    calls: new Map(),
    endedCalls: new Set(),
    detachedAt: 0,
  };
  giveCredits(
    session,
    config.flowControl.initialCreditMessages,
    config.flowControl.initialCreditBytes,
  );
  return conversation;
}

const MOST_REPLAY_BYTES = 1_048_576;

/** What the client says in its handshake that it takes at first, on every channel. */
export function giveCredits(session: Session, messages: number, bytes: number): void {
  for (const channel of CHANNELS) {
    session.credits.set(channel, messages);
    session.byteCredits.set(channel, bytes);
  }
}

/** A new connection begins everything anew that was agreed on for the old one. */
export function renew(conversation: Conversation, config: ServerConfig, now: number): void {
  conversation.allowance = createAllowance(config.flowControl, now);
  conversation.session.pausedChannels.clear();
  conversation.pausedByServer.clear();
  conversation.heard = undefined;
}

/** Acknowledgements only rise, and never beyond what was sent. */
export function acknowledge(from: Conversation, ack: string | undefined): void {
  if (ack === undefined) return;
  const value = BigInt(ack);
  if (value > BigInt(from.session.lastAck) && value <= from.sent) from.session.lastAck = ack;
}
