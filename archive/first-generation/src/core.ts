import type { ServerConfig } from './config.js';
import type { Directory } from './directory.js';
import type { Message } from './envelope.js';
import type { Fault } from './fault.js';
import type { Log } from './log.js';
import type { Outbound } from './outbound.js';
import type { ServerEvents } from './server-events.js';
import type { Connection, Conversation } from './session.js';
import type { Statistics } from './statistics.js';
import type { ToolExecution } from './tool-execution.js';
import type { ToolRegistry } from './tools.js';

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
