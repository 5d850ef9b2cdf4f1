import { randomUUID } from 'node:crypto';
import type { Message } from '../envelope.js';
import type { MessageType } from '../payloads.js';
import type { Channel } from '../values.js';
import { openHttpStream } from './http-link.js';
import type { Link, LinkListener, LinkOptions } from './link.js';
import { openEventSource } from './sse-link.js';
import { openWebSocket } from './websocket-link.js';

export type TransportKind = 'websocket' | 'sse' | 'http';

export interface ClientOptions extends LinkOptions {
  readonly transport: TransportKind;
  /** What `next` waits at most, milliseconds. */
  readonly patience?: number;
}

export interface Ending {
  readonly code: number;
  readonly reason: string;
}

type Extras = Partial<Omit<Message, 'type' | 'channel' | 'payload'>>;

/** A client of the first generation, as small as it can be: it sends what it is told to and keeps what it hears. */
export interface Client {
  /** Every message heard, in order. */
  readonly heard: readonly Message[];
  /** What it heard again: replays of what was not lost. */
  readonly repeated: readonly Message[];
  readonly frames: readonly Buffer[];
  /** The session of the last message heard. */
  readonly session: string;
  /** The highest `seq` heard. */
  readonly lastSeq: string;
  readonly ended: Promise<Ending>;
  /** Says HAI (and waits for the server's first, where it speaks before). */
  handshake(payload?: Record<string, unknown>, extras?: Extras): Promise<void>;
  /** Resolves to the status of the POST, where there is one. */
  send(
    type: MessageType,
    channel: Channel,
    payload: Record<string, unknown>,
    extras?: Extras,
    binary?: Buffer,
  ): Promise<number | undefined>;
  /** Sends any text at all. */
  sendRaw(text: string, binary?: Buffer): Promise<number | undefined>;
  /** The next message of a type that `next` has not given out yet. */
  next(type: MessageType, fits?: (message: Message) => boolean): Promise<Message>;
  close(): void;
}

const OPENERS = { websocket: openWebSocket, sse: openEventSource, http: openHttpStream };
const PATIENCE = 10_000;

export function openClient(options: ClientOptions): Client {
  const heard: Message[] = [];
  const repeated: Message[] = [];
  const frames: Buffer[] = [];
  const given = new Set<Message>();
  const watchers = new Set<() => void>();
  let sent = 0;
  let session = randomUUID() as string;
  let lastSeq = '0';
  let end: (ending: Ending) => void;
  const ended = new Promise<Ending>((resolve) => {
    end = resolve;
  });

  const listener: LinkListener = {
    text(text) {
      const message = JSON.parse(text) as Message;
      // An error may come twice: in the stream, and as the answer to the POST that it is about.
      if (heard.some(({ id, seq }) => id === message.id && seq === message.seq)) {
        repeated.push(message);
        return;
      }
      heard.push(message);
      session = message.session;
      if (BigInt(message.seq) > BigInt(lastSeq)) lastSeq = message.seq;
      for (const look of watchers) look();
    },
    binary(data) {
      frames.push(data);
    },
    closed: (code, reason) => end({ code, reason }),
  };
  const link: Link = OPENERS[options.transport](options, listener);

  function send(
    type: MessageType,
    channel: Channel,
    payload: Record<string, unknown>,
    extras: Extras = {},
    binary?: Buffer,
  ): Promise<number | undefined> {
    sent += 1;
    const message: Message = {
      id: randomUUID(),
      session,
      seq: String(sent),
      ts: new Date().toISOString(),
      channel,
      type,
      payload,
      ...extras,
    };
    return link.send(JSON.stringify(message), binary);
  }

  function next(
    type: MessageType,
    fits: (message: Message) => boolean = () => true,
  ): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(look);
        const types = heard.map((message) => message.type).join(', ');
        reject(new Error(`No ${type} came; heard: ${types}`));
      }, options.patience ?? PATIENCE);
      const look = () => {
        const found = heard.find(
          (message) => message.type === type && !given.has(message) && fits(message),
        );
        if (found === undefined) return;
        given.add(found);
        watchers.delete(look);
        clearTimeout(timer);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  }

  return {
    heard,
    repeated,
    frames,
    get session() {
      return session;
    },
    get lastSeq() {
      return lastSeq;
    },
    ended,
    async handshake(payload = {}, extras = {}) {
      if (options.transport !== 'http') await next('HAI');
      await send('HAI', 'SYSTEM', { ...HAI, ...payload }, extras);
      if (options.transport === 'http') await next('HAI');
    },
    send,
    sendRaw: (text, binary) => link.send(text, binary),
    next,
    close: () => link.close(),
  };
}

const HAI = { proto_version: '1.1.2', accept_major: [1], accept_events: [] };
