const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, for one caller a turn: pieces of large values take turns with one another as
 * with all other work, so that eight of them delay a small call no more than one does.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
