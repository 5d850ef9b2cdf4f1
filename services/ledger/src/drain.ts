import { CHECKPOINT_ENTRIES, SECONDS } from '@countersign/protocol';
import { Wakeful } from './wakeful.js';
import type { LedgerDeps } from './module.js';
import type { Drained } from './store.js';

/** A run of drains in short succession is one batch: fewer, fuller transactions under load. */
const GATHER_MS = 4;
const NOTE_MS = 1000;

/**
 * Chains what services have committed (R16) and signs checkpoints (R17): as soon as a decision waits for its anchor, else
 * after 100 entries or 5 s. One writer a tenant: the chain's head row; a second process finds it held and leaves.
 */
export function drainer(deps: LedgerDeps): Wakeful {
  const checkpointed = new Map<string, number>();
  const noted = runNotes(deps);

  async function work(tenant: string): Promise<boolean> {
    try {
      return await drain(tenant);
    } catch (error) {
      await noted(tenant, false);
      throw error;
    }
  }

  async function drain(tenant: string): Promise<boolean> {
    const drained = await deps.store.drain(tenant, CHECKPOINT_ENTRIES);
    if (drained === null) {
      // Another process holds the chain and may have read before our row was there: look again soon.
      await gather();
      return false;
    }
    if (drained.appended > 0) deps.onChained?.(tenant, drained.appended);
    if (checkpointDue(drained, checkpointed.get(tenant) ?? 0, deps.monotonicMs())) {
      await checkpoint(deps, tenant);
      checkpointed.set(tenant, deps.monotonicMs());
    }
    if (drained.appended > 0) await noted(tenant, true);
    if (drained.appended > 0 && !drained.remaining) await gather();
    return drained.remaining;
  }

  return new Wakeful({
    name: 'ledger drain',
    work,
    poll: () => deps.store.tenantsWaiting(),
    pollMs: 1000,
    log: deps.log,
  });
}

/** Says of a tenant at most once a second each that draining went well or failed; the metrics show when (#28). */
function runNotes(deps: LedgerDeps): (tenant: string, well: boolean) => Promise<void> {
  const last = new Map<string, number>();
  return async (tenant, well) => {
    const key = `${well} ${tenant}`;
    const now = deps.monotonicMs();
    if (now - (last.get(key) ?? -Infinity) < NOTE_MS) return;
    last.set(key, now);
    try {
      await deps.metrics.noteRun(tenant, 'outbox', well);
    } catch (error) {
      deps.log.warn({ err: error, tenant }, 'the last run of the outbox could not be noted');
    }
  };
}

/**
 * A decision waits for its anchor and no checkpoint is on its way: now. While one is, decisions gather for the next, so
 * that the anchor store is asked as often as it can answer and not once for each drain.
 */
function checkpointDue(drained: Drained, lastMs: number, nowMs: number): boolean {
  const open = drained.sequence - drained.checkpointed;
  if (open === 0) return false;
  return (
    (drained.decided && !drained.anchoring) ||
    open >= CHECKPOINT_ENTRIES ||
    nowMs - lastMs >= SECONDS.checkpointInterval * 1000
  );
}

function gather(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, GATHER_MS));
}

/** Signs checkpoints up to the chain's end, each over at most 100 entries. */
async function checkpoint(deps: LedgerDeps, tenant: string): Promise<void> {
  for (;;) {
    const position = await deps.store.position(tenant, CHECKPOINT_ENTRIES);
    if (position === undefined) break;
    const { text } = deps.notary.issue(
      'AuditCheckpoint',
      {
        tenant: position.ledger_id,
        audience: 'proto.audit',
        purpose: 'service',
        profiles: {},
      },
      position.now,
      {
        ledger_id: position.ledger_id,
        generation: position.generation,
        sequence: position.sequence,
        head: position.head,
      },
    );
    if (!(await deps.store.saveCheckpoint(tenant, position, text))) break;
    deps.checkpointed(tenant);
  }
}
