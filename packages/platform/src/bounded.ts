import { setTimeout as delay } from 'node:timers/promises';

/** Whether the work ended within `ms`. A failure within that time is thrown, and a later one is lost. */
export async function bounded(work: Promise<unknown>, ms: number): Promise<boolean> {
  const done = new AbortController();
  work.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), delay(ms, false, { signal: done.signal })]);
  } finally {
    done.abort();
  }
}
