import type { EventEmitter } from 'node:events';
import type { ServerConfig } from './config.js';
import type { Draft } from './outbound.js';
import type { ServerEvents } from './server-events.js';
import type { Session } from './session.js';
import type { ServerStats } from './statistics.js';

/** A tool of the library's user. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 7, or 2020-12 if `$schema` says so) that arguments are held to. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Told to whoever asks; what `execute` returns is its own business. */
  readonly outputSchema: Readonly<Record<string, unknown>>;
  /** Without it the listener of `toolCall` does the work and calls `sendToolDone`. `signal` is ours: it ends with the call. */
  readonly execute?: (
    params: any, // eslint-disable-line @typescript-eslint/no-explicit-any -- §2 of the archived document
    sessionId: string,
    callId: string,
    server: ToolServer,
    signal: AbortSignal,
  ) => Promise<unknown>;
}

/** The server as its tools see it: the archived document's §4. */
export interface ToolServer extends EventEmitter<ServerEvents> {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  registerTool(tool: ToolDefinition): void;
  unregisterTool(toolName: string): void;
  getTools(): ToolDefinition[];
  getSession(sessionId: string): Session | undefined;
  getStats(): ServerStats;
  broadcast(message: Draft): void;
  sendMessage(sessionId: string, message: Draft, binary?: Buffer): void;
  sendToolDone(sessionId: string, callId: string, status: string, result?: unknown): void;
  sendToolUpdate(sessionId: string, callId: string, status: string, progress?: number): void;
  closeAllConnections(): void;
  getConfig(): Omit<ServerConfig, 'jwtSecret'>;
}
