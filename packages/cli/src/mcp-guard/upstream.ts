import type { JsonObject } from '@countersign/client/node';

/** The server behind the guard. */
export interface Upstream {
  /** Sends one message, byte for byte where the connection has bytes. */
  send(line: Uint8Array | string): void;
  /** Called for each message of the server, in order. Set before anything is sent. */
  onLine: (line: string) => void;
  /** Told of the version that the client and the server agreed on. */
  setProtocolVersion(version: string): void;
  /** Resolves when the server is gone, with a sentence for people. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** The server is gone, or went while a call was open. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The server answered with an error. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault';

  constructor(
    readonly code: number,
    message: string,
    readonly error: JsonObject,
  ) {
    super(message);
  }
}
