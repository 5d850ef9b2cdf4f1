/** @throws the reason of `signal`, as soon as it aborts */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let end = () => {};
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason as Error);
    signal.addEventListener('abort', end);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Does work of many in so many lanes, each piece after the one before it. */
export function newLanes(most: number) {
  const lanes = Array<Promise<unknown>>(most).fill(Promise.resolve());
  let next = 0;
  return <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    const at = next++ % most;
    // A caller that has gone leaves work that ends by its signal.
    const done = (lanes[at] as Promise<unknown>).then(work);
    lanes[at] = done.catch(() => {});
    return unlessAborted(done, signal);
  };
}
