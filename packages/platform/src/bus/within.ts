import { setTimeout as delay } from 'node:timers/promises';

/** Resolves when the work has ended, or after `ms`. */
export async function within(ms: number, work: () => Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const late = delay(ms, undefined, { signal: ended.signal }).catch(() => {});
  await Promise.race([work(), late]);
  ended.abort();
}
