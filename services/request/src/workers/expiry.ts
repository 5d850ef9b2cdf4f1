import { applyDue } from '@countersign/protocol';
import { storedRequest, withFreshState } from '@countersign/database';
import type { Deadlines } from '@countersign/database';
import { deadlineWorker } from '@countersign/platform';
import type { Effect, Module, Notary, WorkerRuntime } from '@countersign/platform';
import type { ExpiryStore } from '../store/expiry.js';

export interface ExpiryDeps {
  /** Of kinds `review` and `grant`. */
  readonly deadlines: Deadlines;
  readonly store: ExpiryStore;
  readonly notary: Notary;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

/**
 * Protocol §11.1: persists, with one `expiry` event each, what every reader sees as expired already: a review that ended
 * undecided, a grant that ran out.
 */
export function expiryWorker(runtime: WorkerRuntime, deps: ExpiryDeps): Module {
  const { deadlines: source, store } = deps;
  const effect: Effect = (item) =>
    withFreshState(async () => {
      const row = await store.load(item);
      const stored = row === undefined ? null : storedRequest(row);
      if (stored === null) {
        await source.finish(item);
        return { lateMs: 0 };
      }
      const { now } = stored.row;
      const { lifecycle } = stored;
      const lateMs = now - item.due;
      if (lateMs < 0) return 'later';
      const { next, events } = applyDue(lifecycle, now);
      // A review that falls due together with the deletion is told by the deletion's one event.
      const withDeletion = !lifecycle.materialDeleted && now >= lifecycle.privateDeleteAt;
      if (events.length === 0 || (withDeletion && lifecycle.decision === 'pending')) {
        await source.finish(item);
        return { lateMs };
      }
      const subject = {
        tenant: item.tenant,
        audience: stored.owner,
        purpose: stored.request.purpose,
        profiles: stored.request.profiles,
      };
      await store.expire(
        {
          tenant: item.tenant,
          directoryRevision: stored.row.directory_revision,
          requestId: stored.id,
          version: stored.version,
          before: null,
          records: await deps.notary.events(stored.id, subject, events, now),
          answer: null,
          deadlines: [],
        },
        next,
        item,
      );
      deps.chained(item.tenant);
      return { lateMs };
    });
  return deadlineWorker({ ...runtime, source, effect });
}
