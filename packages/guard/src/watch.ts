import type { Client } from '@countersign/client';

import type { Runtime } from './runtime.js';
import type { Watch } from './execute.js';

/** Reasons of events that take the authority of a request (protocol §3.5). */
const TAKEN: ReadonlySet<string> = new Set([
  ...['cancelled', 'revoked', 'supersession', 'material_deleted', 'requester_removed'],
  ...['reviewer_removed', 'producer_removed', 'producer_authorisation_changed'],
  ...['authorisation_changed'],
]);

/** Shorter runs end before anybody could revoke them: they cost no call. */
const PATIENCE_MS = 500;
const AGAIN_MS = 5_000;

interface Feed {
  readonly running: Map<string, Set<() => void>>;
  stop: AbortController | null;
}
const feeds = new WeakMap<Client, Feed>();

/**
 * Watches the requests of running functions, by one reader of the producer's feed for each client. It starts with the first
 * function that runs for a while, and ends with the last.
 */
export function watchOf(client: Client, runtime: Runtime): Watch {
  return (id, revoked) => {
    const feed = feeds.get(client) ?? { running: new Map(), stop: null };
    feeds.set(client, feed);
    const told = feed.running.get(id) ?? new Set();
    let isOn = false;
    const timer = setTimeout(() => {
      isOn = true;
      feed.running.set(id, told.add(revoked));
      if (feed.stop === null) void read(client, feed, runtime);
    }, PATIENCE_MS);
    return () => {
      clearTimeout(timer);
      if (!isOn) return;
      told.delete(revoked);
      if (told.size === 0) feed.running.delete(id);
      if (feed.running.size === 0) feed.stop?.abort();
    };
  };
}

async function read(client: Client, feed: Feed, runtime: Runtime): Promise<void> {
  const stop = new AbortController();
  feed.stop = stop;
  let after: number | undefined;
  while (!stop.signal.aborted) {
    try {
      const from = after === undefined ? {} : { after };
      for await (const { event, after: next } of client.events({ ...from, signal: stop.signal })) {
        after = next;
        if (!TAKEN.has(event.reason)) continue;
        for (const revoked of feed.running.get(event.request_id) ?? []) revoked();
      }
    } catch {
      // A feed that cannot be read takes nothing from the run: its permits are asked for, and its window ends it.
      await runtime.sleep(AGAIN_MS, stop.signal);
    }
  }
  feed.stop = null;
  if (feed.running.size > 0) void read(client, feed, runtime);
}
