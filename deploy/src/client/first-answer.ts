import { setTimeout as delay } from 'node:timers/promises';
import { Unreachable } from './api.js';

const PAUSE_MS = 500;

/**
 * As `ask`, which is called again while its address cannot be reached. Network policies hold for a new pod a moment after it
 * began, and until then some engines refuse all its connections.
 *
 * @param withinMs milliseconds
 * @throws Unreachable after that time, and what else `ask` throws at once
 */
export async function firstAnswer<T>(ask: () => Promise<T>, withinMs = 15_000): Promise<T> {
  for (const end = Date.now() + withinMs; ;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable) || Date.now() > end) throw error;
      await delay(PAUSE_MS);
    }
  }
}
