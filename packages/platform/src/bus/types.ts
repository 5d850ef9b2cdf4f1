/**
 * The headers of a request. Values are text; `timeoutMs` is relative, because the clocks of two machines are never
 * compared. A `traceparent` that is absent is filled in from the current trace.
 */
export interface BusHeaders {
  /** Caller token, see caller.ts; `message` and `mac` bind it to the message, see messages/. */
  token?: string | undefined;
  message?: string | undefined;
  mac?: string | undefined;
  /** Of a long body. */
  digest?: string | undefined;
  /** Caller token of the previous version, see messages/compatible.ts. */
  caller?: string | undefined;
  traceparent?: string | undefined;
  /** How long the caller will wait. */
  timeoutMs: number;
  /** JSON text of path and query parameters. */
  params?: string | undefined;
  /** Idempotency-Key. */
  key?: string | undefined;
  [name: string]: string | number | undefined;
}

/** Text, or its UTF-8 bytes: those are given away with the call, and the caller must not use them afterwards. */
export type BusBody = string | Uint8Array;

/** A body that is left where it is until its receiver has a place for it in memory. */
export interface LargeBody {
  readonly bytes: number;
  /** Once only. */
  take(): Promise<Uint8Array>;
}

export interface BusRequest {
  readonly subject: string;
  readonly headers: BusHeaders;
  /** '' when the body is large. */
  readonly body: string;
  /** Of a subject that is served with `largeBodies`. */
  readonly large: LargeBody | null;
  /** Milliseconds until the caller stops waiting; negative afterwards. */
  remainingMs(): number;
  /** Aborts when the caller stops waiting. */
  readonly signal: AbortSignal;
}

/** Body = JSON text, or any text that `headers` describe. */
export interface BusReply {
  status: number;
  body: string;
  /** The UTF-8 of a long body, which is '' then; given away with the reply. */
  bytes?: Uint8Array;
  headers?: Record<string, string>;
}

export type BusHandler = (request: BusRequest) => Promise<BusReply>;

export interface ServeOptions {
  /** Requests handled at the same time; 64 when not given. */
  concurrency?: number;
  /** Requests that wait for their turn; one more is refused. 512 when not given. */
  backlog?: number;
  /** Bodies of more than 64 KiB are not fetched before the handler asks for them, and come as bytes. */
  largeBodies?: boolean;
}

/**
 * Request and reply between the gateway and the services, and hints to all subscribers. Two implementations, in process
 * and over NATS, pass one conformance suite. Subjects are dotted words without wildcards.
 */
export interface Bus {
  /** Within one process: no other process can send, change or read anything on it. */
  readonly local?: true;
  /**
   * Rejects with a `Refusal`: the one the handler threw (code, status, retryAfter and detail survive the way), or
   * `service_unavailable` with a {@link BusFault} as its cause.
   */
  call(subject: string, headers: BusHeaders, body: BusBody): Promise<BusReply>;
  /** One member of a queue answers each request. Resolves when requests can arrive. */
  serve(subject: string, queue: string, handler: BusHandler, options?: ServeOptions): Promise<void>;
  /** A hint: may be lost, never throws. Bodies of more than 256 KiB are not sent. */
  publish(subject: string, body: string): void;
  /** One member of a queue gets each hint; with `null` every subscriber does. */
  subscribe(subject: string, queue: string | null, handler: (body: string) => void): Promise<void>;
  /**
   * Takes no new requests and hints, and resolves when those under way are answered; bounded in time. Calls go on. Called
   * first when a process ends: requests that still arrive would need the parts that end before it.
   */
  leave(): Promise<void>;
  /** Leaves, waits for its own calls, then ends; bounded in time. */
  close(): Promise<void>;
  ready(): boolean;
}

/** Why the bus itself could not bring an answer. */
export type BusFaultKind =
  | 'no_responder'
  | 'timeout'
  | 'overloaded'
  /** Not sent. */
  | 'unconnected'
  /** Sent, over a connection that broke before the answer. */
  | 'disconnected'
  | 'closed'
  | 'body_lost'
  | 'handler_failed';

/** The cause of a `service_unavailable` that the bus raised. For logs; never sent to a caller. */
export interface BusFault extends Error {
  readonly fault: BusFaultKind;
  readonly subject: string;
}
