import type { Message } from './envelope.js';

export interface ReplayEntry {
  readonly message: Message;
  readonly binary: Buffer | undefined;
}

export interface ReplayWindow {
  /** By `seq`, oldest first. */
  readonly messages: ReadonlyMap<string, Message>;
  add(message: Message, binary: Buffer | undefined, bytes: number, now: number): void;
  /** Forgets what is too old. */
  expire(now: number): void;
  /** What stands between two numbers, both included. */
  between(from: bigint, to: bigint | undefined): ReplayEntry[];
  /** The highest number that has left the window; 0 as long as none has. */
  readonly lost: bigint;
}

export interface ReplayLimits {
  readonly size: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly time: number;
}

interface Measure {
  readonly bytes: number;
  readonly at: number;
  readonly binary: Buffer | undefined;
}

/** What a session has been sent of late, bounded in messages, bytes and time. */
export function createReplayWindow(limits: ReplayLimits): ReplayWindow {
  const messages = new Map<string, Message>();
  const measures = new Map<string, Measure>();
  let total = 0;
  let lost = 0n;

  function forget(seq: string): void {
    total -= measures.get(seq)?.bytes ?? 0;
    messages.delete(seq);
    measures.delete(seq);
    lost = BigInt(seq);
  }

  function oldest(): string | undefined {
    return messages.keys().next().value;
  }

  return {
    messages,
    get lost() {
      return lost;
    },
    add(message, binary, bytes, now) {
      messages.set(message.seq, message);
      measures.set(message.seq, { bytes, at: now, binary });
      total += bytes;
      while (messages.size > limits.size || total > limits.bytes) {
        const seq = oldest();
        if (seq === undefined) break;
        forget(seq);
      }
    },
    expire(now) {
      for (const [seq, { at }] of measures) {
        if (now - at <= limits.time) break;
        forget(seq);
      }
    },
    between(from, to) {
      const found: ReplayEntry[] = [];
      for (const message of messages.values()) {
        const seq = BigInt(message.seq);
        if (seq < from) continue;
        if (to !== undefined && seq > to) break;
        found.push({ message, binary: measures.get(message.seq)?.binary });
      }
      return found;
    },
  };
}
