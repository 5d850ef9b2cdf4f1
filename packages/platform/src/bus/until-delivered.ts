import { setTimeout as delay } from 'node:timers/promises';
import { busFaultOf } from './fault.js';
import type { Send } from './further-tries.js';
import type { BusFaultKind, BusReply } from './types.js';

/** Longer than a message server takes to start again, or a service to find another one. */
const LONGEST_MS = 4000;
const AGAIN_MS = 250;

/** No service has such a call. */
const UNDELIVERED: readonly (BusFaultKind | null)[] = ['unconnected', 'no_responder'];

export interface DeliveryOptions {
  /** Whether a service may get the call twice: then it is sent again too when the connection broke that it went over. */
  readonly mayRepeat: boolean;
}

/**
 * Sends a call again that reached no service, for some seconds: a message server that is restarted, or a service whose replicas
 * are all on their way back, costs its callers time and no error.
 */
export async function untilDelivered(
  timeoutMs: number,
  { mayRepeat }: DeliveryOptions,
  send: Send,
): Promise<BusReply> {
  const begin = performance.now();
  const spent = (): number => performance.now() - begin;
  for (let leftMs = timeoutMs; ; leftMs = Math.max(1, Math.floor(timeoutMs - spent()))) {
    try {
      return await send(leftMs);
    } catch (error) {
      const fault = busFaultOf(error);
      const again = UNDELIVERED.includes(fault) || (mayRepeat && fault === 'disconnected');
      if (!again || spent() + AGAIN_MS > Math.min(timeoutMs, LONGEST_MS)) throw error;
      await delay(AGAIN_MS);
    }
  }
}
