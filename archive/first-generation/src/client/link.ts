/** A client's end of one transport. Texts are messages as they stand on the wire. */
export interface Link {
  /** Resolves when the message is out; over SSE and HTTP with the status that its POST had. */
  send(text: string, binary?: Buffer): Promise<number | undefined>;
  close(): void;
}

/** What a link tells. */
export interface LinkListener {
  text(text: string): void;
  binary(data: Buffer): void;
  /** `code` is that of the WebSocket, or an HTTP status, or 0. */
  closed(code: number, reason: string): void;
}

export interface LinkOptions {
  /** `http://host:port` */
  readonly url: string;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
}
