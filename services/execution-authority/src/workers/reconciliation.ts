import { reconciliationDue } from '@countersign/protocol';
import { storedRequest, withFreshState } from '@countersign/database';
import type { Deadlines, DueDeadline } from '@countersign/database';
import { deadlineWorker, newId } from '@countersign/platform';
import type { Effect, Module, WorkerRuntime } from '@countersign/platform';
import type { ExecutionDeps } from '../deps.js';

/**
 * R23: an execution whose time has passed without an outcome is told once, by an event and an incident; at the end of
 * its reconciliation the incident says so. The state stays what it is.
 */
export function reconciliationWorker(
  runtime: WorkerRuntime,
  deps: ExecutionDeps,
  source: Deadlines,
): Module {
  const effect: Effect = (item) =>
    item.kind === 'reconciliation' ? due(deps, source, item) : over(deps, source, item);
  return deadlineWorker({ ...runtime, source, effect });
}

function due(deps: ExecutionDeps, source: Deadlines, item: DueDeadline) {
  return withFreshState(async () => {
    const row = await deps.store.loadForWorker(item);
    const stored = row === undefined ? null : storedRequest(row);
    if (stored === null) {
      await source.finish(item);
      return { lateMs: 0 };
    }
    const { now } = stored.row;
    const lateMs = now - item.due;
    if (lateMs < 0) return 'later';
    const execution = stored.request.execution;
    const transition = reconciliationDue(
      stored.lifecycle,
      { executionSeconds: execution?.execution_seconds ?? 0 },
      now,
    );
    if (transition === null) {
      await source.finish(item);
      return { lateMs };
    }
    const subject = {
      tenant: item.tenant,
      audience: stored.owner,
      purpose: stored.request.purpose,
      profiles: stored.request.profiles,
    };
    await deps.store.reconciliationDue(
      {
        tenant: item.tenant,
        directoryRevision: stored.row.directory_revision,
        requestId: stored.id,
        version: stored.version,
        before: null,
        records: await deps.notary.events(stored.id, subject, transition.events, now),
        answer: null,
        deadlines: [
          {
            kind: 'reconciliation_end',
            due: item.due + stored.request.limits.reconciliation_seconds * 1000,
          },
        ],
      },
      transition.next,
      newId(),
    );
    deps.chained(item.tenant);
    return { lateMs };
  });
}

async function over(deps: ExecutionDeps, source: Deadlines, item: DueDeadline) {
  const row = await deps.store.loadForWorker(item);
  const lateMs = row === undefined ? 0 : row.now - item.due;
  if (lateMs < 0) return 'later' as const;
  await deps.store.reconciliationOver(item, newId());
  // With an outcome, or without a request, there was nothing to say.
  await source.finish(item);
  return { lateMs };
}
