import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.js';

const PAUSE_MS = 20;

/** Repeats the call until `enough`; throws PlainError with `what` after `withinMs`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  enough: (answer: T) => boolean,
  { withinMs = 30_000, pauseMs = PAUSE_MS } = {},
): Promise<T> {
  for (const end = Date.now() + withinMs; ;) {
    const answer = await ask();
    if (enough(answer)) return answer;
    if (Date.now() > end)
      throw new PlainError(`${what} did not happen within ${withinMs / 1000} s.`);
    await delay(pauseMs);
  }
}
