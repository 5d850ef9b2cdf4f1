import { applyDue } from '@countersign/protocol';
import { onDeadline, readAs } from '@countersign/database';
import type { Deadlines } from '@countersign/database';
import { deadlineWorker } from '@countersign/platform';
import type { Module, Notary, WorkerRuntime } from '@countersign/platform';
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
  const effect = onDeadline({
    load: (item) => store.load(item),
    finish: (item) => source.finish(item),
    decide: ({ lifecycle, row }) => {
      const due = applyDue(lifecycle, row.now);
      // A review that falls due together with the deletion is told by the deletion's one event.
      const withDeletion = !lifecycle.materialDeleted && row.now >= lifecycle.privateDeleteAt;
      const isTold = due.records.length > 0 && !(withDeletion && lifecycle.decision === 'pending');
      return isTold ? due : null;
    },
    save: async (stored, { next, records, deadlines }, item) => {
      const { tenant } = item;
      await store.expire(
        {
          ...readAs(tenant, stored),
          before: null,
          records: await deps.notary.sign(tenant, stored, records, stored.row.now),
          answer: null,
          deadlines,
        },
        next,
        item,
      );
      deps.chained(tenant);
    },
  });
  return deadlineWorker({ ...runtime, source, effect });
}
