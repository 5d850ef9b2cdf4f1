import type { MessagePort } from 'node:worker_threads';
import { encodeFailure } from './envelope.js';
import type { Envelope, WireHeaders } from './envelope.js';
import { busRefusal } from './fault.js';
import { bodyOf } from './responder.js';
import type { Responder } from './responder.js';
import type { BusBody } from './types.js';

/** Who takes part in a subject at one end: it answers what is asked there, or hears its hints. */
export type Member = { readonly subject: string; readonly queue: string | null } & (
  { readonly responder: Pick<Responder, 'deliver'> } | { readonly hear: (body: string) => void }
);

type Message =
  | { kind: 'joins'; member: number; subject: string; queue: string | null; answers: boolean }
  | { kind: 'knows'; member: number }
  | { kind: 'asks'; member: number; token: number; headers: WireHeaders; body: BusBody; at: number }
  | { kind: 'answers'; token: number; envelope: Envelope }
  | { kind: 'hints'; member: number; body: string }
  | { kind: 'leaves' };

export interface ThreadLink {
  /** Makes one of our members known at the other end; resolves when it is, or when there is no other end any more. */
  join(member: Member): Promise<void>;
  /** No new requests for our members; those under way are still answered. */
  leave(): void;
  close(): void;
}

export interface OtherEnd {
  /** A member of the other end: what it takes here goes there. */
  joined(member: Member): void;
  /** Every member of the other end has gone. */
  left(): void;
}

/**
 * Joins two buses of one process whose threads hold the ends of a channel. What was asked for and is not answered when the
 * channel ends is answered `disconnected`.
 */
export function linkThread(port: MessagePort, other: OtherEnd): ThreadLink {
  const members = new Map<number, Member>();
  const unknown = new Map<number, () => void>();
  const asked = new Map<number, { subject: string; answer: (envelope: Envelope) => void }>();
  let joins = 0;
  let asks = 0;
  let open = true;

  const leaving: Message[] = [];
  /** Buffers of the bodies among them: they go over without a copy. */
  const buffers: ArrayBuffer[] = [];

  /** What is sent in one turn of the loop goes together: a message wakes the other thread, which costs both. */
  function send(message: Message): void {
    if (leaving.push(message) === 1) setImmediate(flush);
  }

  function giveAway(body: BusBody): void {
    if (typeof body !== 'string' && isWhole(body)) buffers.push(body.buffer);
  }

  function flush(): void {
    if (leaving.length > 0) port.postMessage(leaving.splice(0), buffers.splice(0));
  }

  function remote(member: number, subject: string): Pick<Responder, 'deliver'> {
    return {
      deliver({ headers, body, answer }) {
        if (!open) {
          void answer(encodeFailure(busRefusal('disconnected', subject)));
          return;
        }
        asks += 1;
        const token = asks;
        asked.set(token, { subject, answer: (envelope) => void answer(envelope) });
        const ask = (here: BusBody): void =>
          send({ kind: 'asks', member, token, headers, body: here, at: monotonicMs() });
        if (typeof body === 'string') ask(body);
        else {
          // In one process every body is here.
          void body.take().then((bytes) => {
            giveAway(bytes);
            ask(bytes);
          });
        }
      },
    };
  }

  function receive(message: Message): void {
    switch (message.kind) {
      case 'joins': {
        const { member, subject, queue, answers } = message;
        const hear = (body: string): void => send({ kind: 'hints', member, body });
        const part = answers ? { responder: remote(member, subject) } : { hear };
        other.joined({ subject, queue, ...part });
        return send({ kind: 'knows', member });
      }
      case 'knows':
        unknown.get(message.member)?.();
        unknown.delete(message.member);
        return;
      case 'asks': {
        const { headers, body, token, at } = message;
        const answer = (envelope: Envelope): void => {
          giveAway(envelope.body);
          send({ kind: 'answers', token, envelope });
        };
        const member = members.get(message.member);
        if (member === undefined || !('responder' in member)) {
          return answer(encodeFailure(busRefusal('no_responder', '')));
        }
        const lateMs = monotonicMs() - at;
        return member.responder.deliver({ headers, body: bodyOf(body), lateMs, answer });
      }
      case 'answers': {
        const { token, envelope } = message;
        asked.get(token)?.answer(envelope);
        asked.delete(token);
        return;
      }
      case 'hints': {
        const member = members.get(message.member);
        if (member !== undefined && 'hear' in member) member.hear(message.body);
        return;
      }
      case 'leaves':
        return other.left();
    }
  }

  function ended(): void {
    open = false;
    other.left();
    for (const known of unknown.values()) known();
    unknown.clear();
    for (const { subject, answer } of asked.values()) {
      answer(encodeFailure(busRefusal('disconnected', subject)));
    }
    asked.clear();
  }

  port.on('message', (messages: readonly Message[]) => messages.forEach(receive));
  port.once('close', ended);

  return {
    join(member) {
      if (!open) return Promise.resolve();
      joins += 1;
      const id = joins;
      members.set(id, member);
      const { subject, queue } = member;
      send({ kind: 'joins', member: id, subject, queue, answers: 'responder' in member });
      return new Promise((resolve) => unknown.set(id, resolve));
    },
    leave() {
      members.clear();
      send({ kind: 'leaves' });
    },
    close() {
      flush();
      port.close();
    },
  };
}

/** Whether nothing else lies in its buffer. */
function isWhole(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;
}

/** A clock that all threads of the process share, milliseconds. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
