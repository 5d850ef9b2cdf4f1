import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ARCHIVED, refuseProduction } from './archived.js';
import { configOf } from './config.js';
import type { ServerConfig, ServerOptions } from './config.js';
import { disconnect, endSession } from './connections.js';
import type { Core } from './core.js';
import { createCore } from './create-core.js';
import { Fault } from './fault.js';
import type { Draft } from './outbound.js';
import type { ServerEvents } from './server-events.js';
import type { Conversation, Session } from './session.js';
import type { ServerStats } from './statistics.js';
import { secondsOf } from './tokens.js';
import { endCall, updateCall } from './tool-calls.js';
import type { ToolOutcome } from './tool-calls.js';
import type { ToolDefinition, ToolServer } from './tool-definition.js';
import { createRequestListener, statsOf } from './transports/http.js';
import { createWebSocketEntrance } from './transports/websocket.js';
import { lookAfter, upkeepInterval } from './upkeep.js';
import { ConfigurationError } from './variables.js';
import type { Variables } from './variables.js';

/** What a server takes from around it. */
export interface Surroundings {
  readonly variables?: Variables;
  /** Takes the lines of the log. */
  readonly write?: (line: string) => void;
}

const OUTCOMES: readonly string[] = ['OK', 'CANCELLED', 'ERROR'];
// Clients of server-sent events post on connections of their own.
const MOST_POSTS = 256;
const HEADERS_TIME = 10_000;

/** ARCHIVED AND UNSUPPORTED. The archived document's §4, in its order, with `port` and `getConfig` besides. */
export class Server extends EventEmitter<ServerEvents> implements ToolServer {
  readonly #variables: Variables;
  readonly #write: (line: string) => void;
  readonly #core: Core;
  #http: HttpServer | undefined;
  #upkeep: NodeJS.Timeout | undefined;

  /** What is not given comes from the environment, and what is not there from the defaults. */
  constructor(options: ServerOptions = {}, surroundings: Surroundings = {}) {
    super({ captureRejections: true });
    this.#variables = surroundings.variables ?? process.env;
    this.#write = surroundings.write ?? ((line) => void process.stdout.write(line));
    this.#core = createCore(this, configOf(options, this.#variables), this.#write);
  }

  /**
   * Begins accepting connections; `started` says when, and so does what it returns.
   * @throws {ConfigurationError} (as a rejection) in production, without a secret, with an unreadable lifetime
   */
  async start(): Promise<void> {
    refuseProduction(this.#variables);
    if (this.#http !== undefined) throw new ConfigurationError('The server has been started.');
    const secret = this.#secret();
    const http = createServer({ headersTimeout: HEADERS_TIME, requestTimeout: 0 });
    this.#http = http;
    const { config } = this.#core;
    http.maxConnections = 2 * config.maxConnections + MOST_POSTS;
    const listener = createRequestListener(this.#core, secret);
    const entrance = createWebSocketEntrance(this.#core, secret);
    http.on('request', (request, response) => {
      listener(request, response).catch((error: unknown) => {
        this.#fail(error);
        response.destroy();
      });
    });
    http.on('upgrade', (request, socket, head) => {
      entrance.upgrade(request, socket, head).catch((error: unknown) => {
        this.#fail(error);
        socket.destroy();
      });
    });
    try {
      http.listen(config.port, config.host);
      await once(http, 'listening');
    } catch (error) {
      this.#http = undefined;
      throw error;
    }
    http.on('error', (error) => this.#fail(error));
    this.#upkeep = setInterval(() => lookAfter(this.#core), upkeepInterval(this.#core));
    this.#upkeep.unref();
    this.#write(`${ARCHIVED} Listening on ${config.host}:${this.port}.\n`);
    this.#core.emit('started');
  }

  /** Stops and closes all connections; sessions, runs and calls end. */
  async stop(): Promise<void> {
    const http = this.#http;
    if (http === undefined) return;
    this.#http = undefined;
    clearInterval(this.#upkeep);
    const closed = once(http, 'close');
    http.close();
    for (const conversation of [...this.#core.directory.all()]) {
      if (conversation.connection !== undefined) {
        disconnect(this.#core, conversation.connection, 1001, 'stopped');
      }
      endSession(this.#core, conversation);
    }
    http.closeIdleConnections();
    const late = setTimeout(() => http.closeAllConnections(), 1000);
    await closed;
    clearTimeout(late);
    this.#core.emit('stopped');
  }

  /** @throws {TypeError} for a tool without a name or with a schema that is none */
  registerTool(tool: ToolDefinition): void {
    this.#core.tools.register(tool);
  }

  unregisterTool(toolName: string): void {
    this.#core.tools.unregister(toolName);
  }

  getTools(): ToolDefinition[] {
    return this.#core.tools.list();
  }

  /** Also one that has lost its connection and can be resumed. */
  getSession(sessionId: string): Session | undefined {
    return this.#core.directory.find(sessionId)?.session;
  }

  getStats(): ServerStats {
    return statsOf(this.#core);
  }

  broadcast(message: Draft): void {
    for (const conversation of this.#core.directory.connected()) {
      this.#core.outbound.send(conversation, { ...message });
    }
  }

  /**
   * Sends, or keeps until the client has credits and reads, or until it has resumed its session. `binary` is ours:
   * the frame that follows, or base64 where the transport has no frames.
   * @throws {Fault} INVALID_MESSAGE for what is no message of the wire
   */
  sendMessage(sessionId: string, message: Draft, binary?: Buffer): void {
    const to = this.#core.directory.find(sessionId);
    if (to !== undefined) this.#core.outbound.send(to, message, binary);
  }

  sendToolDone(sessionId: string, callId: string, status: string, result?: unknown): void {
    if (!OUTCOMES.includes(status)) throw new Fault('INVALID_MESSAGE', 'There is no such status.');
    this.#with(sessionId, (to) => endCall(this.#core, to, callId, status as ToolOutcome, result));
  }

  sendToolUpdate(sessionId: string, callId: string, status: string, progress?: number): void {
    this.#with(sessionId, (to) => updateCall(this.#core, to, callId, status, progress));
  }

  /** Closes the WebSockets; the other transports stay. */
  closeAllConnections(): void {
    for (const { connection } of this.#core.directory.connected()) {
      if (connection?.transport.kind === 'websocket') {
        disconnect(this.#core, connection, 1000, 'closed by the server');
      }
    }
  }

  /** Where it listens; 0 as long as it does not. */
  get port(): number {
    return (this.#http?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  /** The configuration that holds, without the secret. */
  getConfig(): Omit<ServerConfig, 'jwtSecret'> {
    const { jwtSecret: _secret, ...rest } = this.#core.config;
    return rest;
  }

  /** What an asynchronous listener rejects with is an error like any other, and ends nothing. */
  override [EventEmitter.captureRejectionSymbol](error: Error, ..._rest: unknown[]): void {
    this.#fail(error);
  }

  #secret(): string {
    const { jwtSecret, jwtExpiresIn } = this.#core.config;
    if (jwtSecret === undefined || jwtSecret === '') {
      throw new ConfigurationError('JWT_SECRET is required.');
    }
    try {
      secondsOf(jwtExpiresIn);
    } catch (error) {
      throw new ConfigurationError('JWT_EXPIRES_IN must be a duration like 24h.', { cause: error });
    }
    if (Buffer.byteLength(jwtSecret) < 32) {
      this.#core.log('weak secret', { advice: 'JWT_SECRET should have 32 bytes or more.' });
    }
    return jwtSecret;
  }

  #with(sessionId: string, act: (to: Conversation) => void): void {
    const found = this.#core.directory.find(sessionId);
    if (found !== undefined) act(found);
  }

  #fail(error: unknown): void {
    this.#core.log('error', { name: error instanceof Error ? error.name : 'unknown' });
    this.#core.emit(
      'error',
      error instanceof Error ? error : new Error('unknown', { cause: error }),
    );
  }
}
