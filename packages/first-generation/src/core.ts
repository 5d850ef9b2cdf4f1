import type { ServerConfig } from './config.js';
import type { Message } from './envelope.js';
import type { Fault } from './fault.js';
import type { Log } from './log.js';
import type { Outbound } from './outbound.js';
import type { Run } from './runs.js';
import type { Directory } from './directory.js';
import type { Connection, Conversation } from './session.js';
import type { Statistics } from './statistics.js';
import type { ToolExecution, ToolRegistry } from './tools.js';

/** The archived document's §6, and `message`, which is ours: every message that was accepted. */
export interface ServerEvents {
  started: [];
  stopped: [];
  connect: [sessionId: string];
  disconnect: [sessionId: string];
  handshake: [sessionId: string, payload: Record<string, unknown>];
  textMessage: [sessionId: string, message: Message];
  audioChunk: [sessionId: string, message: Message];
  binary: [sessionId: string, data: Buffer];
  runStarted: [sessionId: string, run: Run];
  runFinished: [sessionId: string, run: Run];
  runCancelled: [sessionId: string, run: Run];
  toolCall: [sessionId: string, execution: ToolExecution];
  message: [sessionId: string, message: Message];
  error: [error: Error];
}

/** What every part of a server works with. */
export interface Core {
  readonly config: ServerConfig;
  readonly log: Log;
  readonly statistics: Statistics;
  readonly directory: Directory;
  readonly outbound: Outbound;
  readonly tools: ToolRegistry;
  /** Epoch milliseconds. */
  now(): number;
  /** Never throws: a listener's error is an `error` event. */
  emit<Name extends keyof ServerEvents>(name: Name, ...values: ServerEvents[Name]): void;
  /** Runs a tool; what it comes to is up to the caller. */
  execute(execution: ToolExecution, sessionId: string, signal: AbortSignal): Promise<unknown>;
  /** Tells the client what was wrong; the message that says so. */
  report(to: Conversation, fault: Fault): Message;
  /** Parts with a connection, and keeps the session for a while if it can be resumed. */
  detach(connection: Connection, code: number, reason: string): void;
}
