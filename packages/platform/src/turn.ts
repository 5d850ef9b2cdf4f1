import { sharing } from './sharing.js';

/**
 * While several tenants call, pieces are so far apart, so that large values take neither the processors nor the garbage
 * collector from small calls: 64 KiB in 3 ms are 20 MB/s (docs/decisions/0034).
 */
const PAUSE_MS = 3;

/** Resolves in a later turn of the event loop, for one caller a turn, in the order in which they came. */
export type Turn = () => Promise<void>;

export function createTurn(): Turn {
  const waiting: (() => void)[] = [];

  function nextLater(): void {
    if (sharing.isShared()) setTimeout(next, PAUSE_MS);
    else setImmediate(next);
  }

  function next(): void {
    waiting.shift()?.();
    if (waiting.length > 0) nextLater();
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) nextLater();
    });
}

/**
 * Of the large values of this process: pieces take turns with one another as with all other work, so that eight values delay
 * a small call no more than one does.
 */
export const turn = createTurn();
