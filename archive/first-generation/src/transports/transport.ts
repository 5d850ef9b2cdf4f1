import type { ServerResponse } from 'node:http';
import type { WebSocket } from 'ws';

/** What carries messages to one client. What comes from it is given to the exchange by whoever made this. */
export interface Transport {
  readonly kind: 'websocket' | 'sse' | 'http';
  /** Messages of the client come in the order it sent them. */
  readonly ordered: boolean;
  /** The session's handle of this transport. */
  readonly handle: { ws?: WebSocket; sseResponse?: ServerResponse; httpResponse?: ServerResponse };
  /** Whether binary frames can follow a message. */
  readonly binary: boolean;
  send(text: string, binary?: Buffer): void;
  /** Bytes that have not left the process. */
  buffered(): number;
  /** Stops and goes on reading what the client sends. */
  hold(): void;
  release(): void;
  /** Ends it politely where that takes no time, with a code of RFC 6455. */
  close(code: number, reason: string): void;
  /** Ends it now, whatever has not been sent. */
  terminate(): void;
}
