/** Servers that a test starts, each with the way to end it. */
export interface Started {
  /** It is ended later, even if its start is still under way when another one fails. */
  keep<T>(starting: T | Promise<T>, end: (it: T) => unknown): Promise<T>;
  /** Ends them, the last one first. Rejects with the first failure, after all were asked to end. */
  stop(): Promise<void>;
}

export function newStarted(): Started {
  const ends: (() => Promise<unknown>)[] = [];
  return {
    async keep(starting, end) {
      const settled = Promise.resolve(starting);
      ends.push(() =>
        settled.then(
          (it) => end(it),
          () => {},
        ),
      );
      return settled;
    },
    async stop() {
      const failures: unknown[] = [];
      for (const end of ends.splice(0).reverse()) {
        await end().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** The result of `start`; when that fails, all that it kept is ended first. */
export async function allOrNone<T>(start: (started: Started) => Promise<T>): Promise<T> {
  const started = newStarted();
  try {
    return await start(started);
  } catch (error) {
    await started.stop();
    throw error;
  }
}
