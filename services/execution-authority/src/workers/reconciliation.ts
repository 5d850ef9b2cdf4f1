import { reconciliationDue, reconciliationOver } from '@countersign/protocol';
import { Deadlines, commit, onDeadline } from '@countersign/database';
import type { DueDeadline } from '@countersign/database';
import { deadlineWorker } from '@countersign/platform';
import type { Module, WorkerRuntime } from '@countersign/platform';
import { executionDeps } from '../deps.js';
import type { ExecutionOptions } from '../deps.js';
import { RECONCILIATION_DUE } from '../store/index.js';

/**
 * R23: an execution whose time has passed without an outcome is reported once, by an event and an incident; at the end of
 * its reconciliation the incident says so. The state does not change.
 */
export function reconciliationWorker(runtime: WorkerRuntime, options: ExecutionOptions): Module {
  const deps = executionDeps(options);
  const source = new Deadlines(deps.pool, ['reconciliation', 'reconciliation_end']);
  const load = (item: DueDeadline) => deps.store.loadForWorker(item);
  const finish = (item: DueDeadline) => source.finish(item);
  const due = onDeadline({
    load,
    finish,
    decide: (stored) => reconciliationDue(stored.lifecycle, stored, stored.row.now),
    save: (stored, transition) => commit(deps, RECONCILIATION_DUE, stored, transition),
  });
  const over = onDeadline({
    load,
    finish,
    decide: (stored) => reconciliationOver(stored.lifecycle),
    save: async (_, { incidents }, item) => {
      for (const code of incidents) await deps.store.reconciliationOver(item, code);
    },
  });
  return deadlineWorker({
    ...runtime,
    source,
    effect: (item) => (item.kind === 'reconciliation' ? due(item) : over(item)),
  });
}
