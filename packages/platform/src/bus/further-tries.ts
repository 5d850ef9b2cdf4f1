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
  /** Further tries of calls that have no answer yet: a try that was lost costs nothing once another is answered. */
  let underWay = 0;

  return (timeoutMs, send) =>
    new Promise((resolve, reject) => {
      let tries = 0;
      let faults = 0;
      let settled = false;
      let silent: NodeJS.Timeout | undefined;
      const follow = (leftMs: number): void => {
        tries += 1;
        send(leftMs).then(answered, failed);
        nextAfterSilence(leftMs - afterMs);
      };
      const nextAfterSilence = (leftMs: number): void => {
        if (leftMs > 0) silent = setTimeout(() => again(leftMs), afterMs);
      };
      const again = (leftMs: number): void => {
        if (underWay >= most) return nextAfterSilence(leftMs - afterMs);
        underWay += 1;
        follow(leftMs);
      };
      const settle = (): void => {
        clearTimeout(silent);
        if (!settled) underWay -= tries - 1;
        settled = true;
      };
      const answered = (reply: BusReply): void => {
        settle();
        resolve(reply);
      };
      // A refusal by a service is an answer; a fault of the bus is none.
      const failed = (error: unknown): void => {
        faults += 1;
        if (busFaultOf(error) !== null && faults < tries) return;
        settle();
        reject(error as Error);
      };
      follow(timeoutMs);
    });
}
