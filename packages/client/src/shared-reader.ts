import type { Runtime } from './exchange.js';
import { passes, pauses } from './pauses.js';
import { unlessAborted } from './lanes.js';

/** One page of the producer's feed. */
export interface FeedPage {
  /** The requests of its events. */
  readonly ids: readonly string[];
  /** Where the next page begins. */
  readonly next: number;
  /** Whether the service held the call until there was an event, or its time was up. */
  readonly wasHeld: boolean;
}

/** Reads the feed after an event, in a call that the service may hold; null gives where the feed ends now. */
export type ReadPage = (after: number | null, signal: AbortSignal) => Promise<FeedPage>;

/** News of requests for many waits, by one reader of the feed. */
export interface SharedReader {
  /**
   * Begins to listen for the next event of a request, once the reader knows where the feed ends: a state that is read after that
   * is followed by an event if it changes.
   *
   * @throws the fault that ended the reader, and the reason of `signal`
   */
  listen(id: string, signal: AbortSignal): Promise<News>;
  /** As if every request had an event. */
  wakeAll(): void;
}

export interface News {
  /** Resolves with the first event, and rejects with the fault that ended the reader. */
  readonly next: Promise<void>;
  /** The listener has gone; without any the reader stops. */
  leave(): void;
}

interface Listener {
  readonly id: string;
  wake(): void;
  fail(fault: unknown): void;
}

export function newSharedReader(readPage: ReadPage, runtime: Runtime): SharedReader {
  const listeners = new Set<Listener>();
  /** Of the reader that runs: resolves when it knows where the feed ends. */
  let running: { readonly ready: Promise<void>; readonly stop: AbortController } | null = null;

  function start() {
    const stop = new AbortController();
    let isReady: () => void = () => {};
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    void follow(stop.signal, isReady).catch((fault: unknown) => {
      if (stop.signal.aborted) return;
      running = null;
      for (const listener of [...listeners]) listener.fail(fault);
    });
    return { ready, stop };
  }

  async function follow(signal: AbortSignal, isReady: () => void): Promise<never> {
    let at: number | null = null;
    const { pause, reset } = pauses(runtime);
    for (;;) {
      try {
        const page: FeedPage = await readPage(at, signal);
        for (const listener of [...listeners]) if (page.ids.includes(listener.id)) listener.wake();
        const isFirst = at === null;
        at = page.next;
        isReady();
        if (page.ids.length > 0) reset();
        else if (!isFirst && !page.wasHeld) await pause(signal);
      } catch (fault) {
        signal.throwIfAborted();
        if (!passes(fault)) throw fault;
        await pause(signal);
      }
    }
  }

  return {
    async listen(id, signal) {
      running ??= start();
      const { ready } = running;
      let listener: Listener | undefined;
      const next = new Promise<void>((wake, fail) => {
        listener = { id, wake, fail };
        listeners.add(listener);
      });
      // A listener that reads a state meanwhile learns of the fault when it waits.
      next.catch(() => {});
      const leave = () => {
        if (listener !== undefined) listeners.delete(listener);
        if (listeners.size > 0) return;
        running?.stop.abort();
        running = null;
      };
      try {
        // A fault of the reader rejects `next`.
        await unlessAborted(Promise.race([ready, next]), signal);
      } catch (fault) {
        leave();
        throw fault;
      }
      return { next, leave };
    },
    wakeAll() {
      for (const listener of listeners) listener.wake();
    },
  };
}
