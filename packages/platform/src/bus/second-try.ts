import { busFaultOf } from './fault.js';
import type { BusReply } from './types.js';

export interface SecondTryOptions {
  /** How long the first try may be silent. */
  readonly afterMs: number;
  /** Second tries under way at once: a service that is slow for everybody must not get everything twice. */
  readonly most?: number;
}

/**
 * Sends a message, with the milliseconds that its caller still waits. Each try seals it anew, for a message without a key is
 * accepted once.
 */
export type Send = (timeoutMs: number) => Promise<BusReply>;

const MOST = 64;

/**
 * Calls that may safely be answered twice. A replica that is killed takes its requests with it, without a signal to others:
 * its callers would wait for all of their time. So a call that has had no answer for `afterMs` is sent once more, to any
 * replica, and the first answer of the two counts. A fault of one try is the outcome only when the other has failed too.
 */
export function createSecondTries({
  afterMs,
  most = MOST,
}: SecondTryOptions): (timeoutMs: number, send: Send) => Promise<BusReply> {
  let underWay = 0;

  async function again(timeoutMs: number, send: Send): Promise<BusReply> {
    underWay += 1;
    try {
      return await send(timeoutMs);
    } finally {
      underWay -= 1;
    }
  }

  return (timeoutMs, send) => {
    const first = send(timeoutMs);
    if (timeoutMs <= afterMs) return first;
    return new Promise((resolve, reject) => {
      let tries = 1;
      let faults = 0;
      // A refusal by a service is an answer; a fault of the bus is none.
      const failed = (error: unknown): void => {
        faults += 1;
        if (busFaultOf(error) === null || faults === tries) reject(error as Error);
      };
      const silent = setTimeout(() => {
        if (underWay >= most) return;
        tries = 2;
        again(timeoutMs - afterMs, send).then(resolve, failed);
      }, afterMs);
      first.then(resolve, failed).finally(() => clearTimeout(silent));
    });
  };
}
