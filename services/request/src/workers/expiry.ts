import { applyDue } from '@countersign/protocol';
import { Deadlines, commit, onDeadline } from '@countersign/database';
import type { Saving } from '@countersign/database';
import { deadlineWorker } from '@countersign/platform';
import type { Module, WorkerRuntime } from '@countersign/platform';
import { EXPIRE, ExpiryStore } from '../store/expiry.js';

/**
 * Protocol §11.1: persists, with one `expiry` event each, the expiries that every reader sees already: a review that ended
 * undecided, a grant that ran out.
 */
export function expiryWorker(runtime: WorkerRuntime, deps: Saving): Module {
  const source = new Deadlines(deps.pool, ['review', 'grant']);
  const store = new ExpiryStore(deps.pool);
  const effect = onDeadline({
    load: (item) => store.load(item),
    finish: (item) => source.finish(item),
    decide: ({ lifecycle, row }) => {
      const due = applyDue(lifecycle, row.now);
      // A review that falls due together with the deletion has only the deletion's event.
      const withDeletion = !lifecycle.materialDeleted && row.now >= lifecycle.privateDeleteAt;
      const isTold = due.records.length > 0 && !(withDeletion && lifecycle.decision === 'pending');
      return isTold ? due : null;
    },
    save: (stored, transition) => commit(deps, EXPIRE, stored, transition),
  });
  return deadlineWorker({ ...runtime, source, effect });
}
