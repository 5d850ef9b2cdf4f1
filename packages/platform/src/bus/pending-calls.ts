import type { Refusal } from '@countersign/protocol';
import { decodeReply } from './envelope.js';
import type { EncodedMessage } from './envelope.js';
import { busRefusal } from './fault.js';
import type { BusFaultKind, BusReply } from './types.js';

interface Pending {
  readonly subject: string;
  readonly resolve: (reply: BusReply) => void;
  readonly reject: (refusal: Refusal) => void;
  readonly timer: NodeJS.Timeout;
}

/** Calls that wait for their answer, each under a token of its own. */
export interface PendingCalls {
  /** Registers a call and hands its token to `send`, which brings it on its way. */
  open(subject: string, timeoutMs: number, send: (token: string) => void): Promise<BusReply>;
  /** The answer to a token. False for late and second answers, for which no call waits. */
  settle(token: string, message: EncodedMessage): boolean;
  fail(token: string, fault: BusFaultKind, cause?: unknown): void;
  failAll(fault: BusFaultKind): void;
  isWaiting(token: string): boolean;
  /** Resolves when no call waits. */
  idle(): Promise<void>;
}

export function createPendingCalls(): PendingCalls {
  const calls = new Map<string, Pending>();
  let count = 0;
  let onIdle: (() => void)[] = [];

  function take(token: string): Pending | undefined {
    const call = calls.get(token);
    if (call === undefined) return undefined;
    calls.delete(token);
    clearTimeout(call.timer);
    if (calls.size === 0 && onIdle.length > 0) {
      for (const listener of onIdle) listener();
      onIdle = [];
    }
    return call;
  }

  function fail(token: string, fault: BusFaultKind, cause?: unknown): void {
    const call = take(token);
    call?.reject(busRefusal(fault, call.subject, cause));
  }

  return {
    open(subject, timeoutMs, send) {
      count += 1;
      const token = count.toString(36);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(fail, timeoutMs, token, 'timeout');
        calls.set(token, { subject, resolve, reject, timer });
        try {
          send(token);
        } catch (error) {
          fail(token, 'unconnected', error);
        }
      });
    },
    settle(token, envelope) {
      const call = take(token);
      if (call === undefined) return false;
      try {
        call.resolve(decodeReply(call.subject, envelope));
      } catch (refusal) {
        call.reject(refusal as Refusal);
      }
      return true;
    },
    fail,
    failAll(fault) {
      for (const token of [...calls.keys()]) fail(token, fault);
    },
    isWaiting: (token) => calls.has(token),
    idle() {
      if (calls.size === 0) return Promise.resolve();
      return new Promise((resolve) => onIdle.push(resolve));
    },
  };
}
