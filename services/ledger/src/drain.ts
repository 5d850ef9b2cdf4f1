import { runNotes } from '@countersign/database';
import { CHECKPOINT_ENTRIES } from '@countersign/protocol';
import { KeyedWorker, inSpanOfEach } from '@countersign/platform';
import { checkpoint, checkpointDue, checkpointText, positionIn, saving } from './checkpoint.js';
import type { ChainDeps, LedgerDeps } from './deps.js';
import { Gathering } from './gathering.js';
import type { Drained, LedgerPosition } from './store/index.js';

export interface Drainer extends Pick<KeyedWorker, 'start' | 'stop' | 'wake'> {
  /** As `wake`, for a decision that can be chained or can have its checkpoint: without a pause. */
  decided(tenant: string): void;
}

/**
 * Chains the records that services have committed (R16) and signs checkpoints (R17): as soon as a decision waits for its
 * anchor, else after 100 entries or 5 s. One writer a tenant: the chain's head row; a second process finds it held and
 * looks again soon.
 */
export function drainer(deps: ChainDeps): Drainer {
  const gathering = new Gathering();
  /** Tenants of which more waits already than the last batch took. */
  const backlogs = new Set<string>();
  const checkpointed = new Map<string, number>();
  /** Where more waits, a batch's checkpoint travels with the next batch: one commit for both. */
  const owed = new Map<string, LedgerPosition>();
  const noted = runNotes(deps.pool, 'outbox', (error, tenant) =>
    deps.log.warn({ err: error, tenant }, 'the last run of the outbox could not be recorded'),
  );

  async function work(tenant: string): Promise<boolean> {
    if (!backlogs.delete(tenant)) await gathering.gathered(tenant);
    try {
      return await drain(tenant);
    } catch (error) {
      await noted(tenant, false);
      throw error;
    }
  }

  async function drain(tenant: string): Promise<boolean> {
    const drained = await nextBatch(tenant);
    // Another process holds the chain and may have read before our row was there.
    if (drained === null) return true;
    if (drained.decided) gathering.tookDecision(tenant);
    if (drained.appended > 0) deps.grown(tenant);
    if (checkpointDue(drained, checkpointed.get(tenant) ?? 0, performance.now())) {
      const position = drained.remaining ? positionIn(drained) : undefined;
      if (position === undefined) await checkpoint(deps, tenant, drained);
      else owed.set(tenant, position);
      checkpointed.set(tenant, performance.now());
    }
    if (drained.appended > 0) await noted(tenant, true);
    if (drained.remaining) backlogs.add(tenant);
    return drained.remaining;
  }

  function nextBatch(tenant: string): Promise<Drained | null> {
    const position = owed.get(tenant);
    owed.delete(tenant);
    return position === undefined
      ? append(deps, tenant, () => deps.store.drain(tenant, CHECKPOINT_ENTRIES))
      : checkpointAndAppend(deps, tenant, position);
  }

  const worker = new KeyedWorker({
    name: 'ledger drain',
    work,
    poll: () => deps.store.tenantsWaiting(),
    pollMs: 1000,
    log: deps.log,
  });
  return {
    start: () => worker.start(),
    stop: () => worker.stop(),
    wake: (tenant) => worker.wake(tenant),
    decided(tenant) {
      gathering.decided(tenant);
      worker.wake(tenant);
    },
  };
}

async function checkpointAndAppend(
  deps: ChainDeps,
  tenant: string,
  position: LedgerPosition,
): Promise<Drained | null> {
  const text = await checkpointText(deps, position);
  const both = deps.store.checkpointAndDrain(tenant, position, text, CHECKPOINT_ENTRIES);
  try {
    const [, drained] = await Promise.all([
      saving(deps, tenant, position, async () => (await both).saved),
      append(deps, tenant, async () => (await both).drained),
    ]);
    return drained;
  } catch (error) {
    // A batch that cannot be chained must not delay the checkpoint over earlier entries.
    await saving(deps, tenant, position, () => deps.store.saveCheckpoint(tenant, position, text));
    throw error;
  }
}

/** One batch holds records of many traces: each of them has its own span of it. */
function append(
  { traces }: LedgerDeps,
  tenant: string,
  drain: () => Promise<Drained | null>,
): Promise<Drained | null> {
  return inSpanOfEach('ledger append', {}, drain, async (drained) => {
    if (traces === null || drained === null || drained.appended === 0) return [];
    const { appended, sequence } = drained;
    return (await traces.ofEntries(tenant, sequence - appended, sequence)).values();
  });
}
