import { setTimeout as delay } from 'node:timers/promises';
import type { RequestChangedEvent, SignedRecord } from '@countersign/protocol';
import type { Client } from '../../support/client.js';
import { until } from '../../support/requests.js';
import type { Attempts } from './insist.js';
import { insist } from './insist.js';
import { expectAnswer } from './lifecycles.js';

/** One answer of `ledger.events` that brought something. */
export interface FeedPage {
  readonly after: number;
  readonly next: number;
  readonly items: readonly SignedRecord[];
}

export interface Feed {
  readonly pages: readonly FeedPage[];
  /** Waits until the events up to these revisions were seen. */
  untilSeen(revisions: ReadonlyMap<string, number>): Promise<void>;
  /** Ends it; rejects with the fault, unless the run had ended. */
  stop(): Promise<void>;
}

const PAGE = 100;
const LOOK_EVERY_MS = 25;

/** Polls the caller's events from the first one on, always after the cursor of the answer before. */
export function followFeed(client: Client, attempts: Attempts): Feed {
  const pages: FeedPage[] = [];
  const highest = new Map<string, number>();
  let stopped = false;

  async function follow(): Promise<void> {
    let after = 0;
    while (!stopped) {
      const path = `/v2/events?after=${after}`;
      const answer = expectAnswer(await insist(client, attempts, path, { method: 'GET' }), 200);
      const { items, next } = answer.body as { items: SignedRecord[]; next: number };
      if (items.length > 0 || next !== after) pages.push({ after, next, items });
      for (const { payload } of items) {
        const { request_id, revision } = payload as unknown as RequestChangedEvent;
        highest.set(request_id, Math.max(revision, highest.get(request_id) ?? 0));
      }
      after = next;
      if (items.length < PAGE) await delay(LOOK_EVERY_MS);
    }
  }

  const following = follow();
  // It is looked at in `stop`, perhaps much later.
  following.catch(() => {});
  return {
    pages,
    async untilSeen(revisions) {
      await until(
        async () => [...revisions].filter(([id, revision]) => (highest.get(id) ?? 0) < revision),
        (unseen) => unseen.length === 0,
        30_000,
      );
    },
    async stop() {
      stopped = true;
      await following.catch((error: unknown) => {
        if (!attempts.ended.aborted) throw error;
      });
    },
  };
}
