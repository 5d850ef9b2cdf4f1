import { busFaultOf } from './fault.js';
import type { BusReply } from './types.js';

export interface FurtherTryOptions {
  /** How long a try may be silent. */
  readonly afterMs: number;
  /** Further tries under way at once: a service that is slow for everybody must not get everything many times. */
  readonly most?: number;
}

/**
 * Sends a message, with the milliseconds that its caller still waits. Each try seals it anew, for a message without a key is
 * accepted once.
 */
export type Send = (timeoutMs: number) => Promise<BusReply>;

const MOST = 64;

/**
 * Calls that may safely be answered twice. A replica that is killed, or whose machine is lost, takes its requests with it
 * without a signal to others, and NATS goes on giving it some until it notices: its callers would wait for all of their time. So
 * a call that has had no answer for `afterMs` is sent once more, to any replica, and again after each further silence; the
 * first answer counts. A fault of one try is the outcome only when all others have failed too.
 */
export function createFurtherTries({
  afterMs,
  most = MOST,
}: FurtherTryOptions): (timeoutMs: number, send: Send) => Promise<BusReply> {
  let underWay = 0;

  async function again(timeoutMs: number, send: Send): Promise<BusReply> {
    underWay += 1;
    try {
      return await send(timeoutMs);
    } finally {
      underWay -= 1;
    }
  }

  return (timeoutMs, send) =>
    new Promise((resolve, reject) => {
      let tries = 0;
      let faults = 0;
      let silent: NodeJS.Timeout | undefined;
      const follow = (call: Promise<BusReply>, leftMs: number): void => {
        tries += 1;
        call.then(answered, failed);
        const next = leftMs - afterMs;
        if (next > 0) silent = setTimeout(() => tryAgain(next), afterMs);
      };
      const tryAgain = (leftMs: number): void => {
        if (underWay < most) follow(again(leftMs, send), leftMs);
      };
      const answered = (reply: BusReply): void => {
        clearTimeout(silent);
        resolve(reply);
      };
      // A refusal by a service is an answer; a fault of the bus is none.
      const failed = (error: unknown): void => {
        faults += 1;
        if (busFaultOf(error) !== null && faults < tries) return;
        clearTimeout(silent);
        reject(error as Error);
      };
      follow(send(timeoutMs), timeoutMs);
    });
}
