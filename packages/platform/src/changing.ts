import type { Logger } from './log.js';

/** A setting whose file may be replaced while the process runs, such as a list of keys. */
export interface Changing<T> {
  /** As it was read at most ten seconds ago. */
  current(): T;
  /** As it was read at most a second ago: for a value that `current` does not know. */
  again(): T;
}

const EVERY_MS = 10_000;
const AGAIN_MS = 1000;

/**
 * Reads at once, and throws the error of `read`. Later reads happen when the setting is used; one that fails is logged
 * once, and the value before it stays in use.
 */
export function changing<T>(
  read: () => T,
  name: string,
  log: Logger,
  monotonicMs: () => number = () => performance.now(),
): Changing<T> {
  let value = read();
  let readAt = monotonicMs();
  let failed = false;

  function readAfter(ageMs: number): T {
    const now = monotonicMs();
    if (now - readAt < ageMs) return value;
    readAt = now;
    try {
      value = read();
      failed = false;
    } catch (error) {
      if (!failed) log.error({ err: error, setting: name }, 'setting cannot be read again');
      failed = true;
    }
    return value;
  }

  return { current: () => readAfter(EVERY_MS), again: () => readAfter(AGAIN_MS) };
}
