import { CHECKPOINT_ENTRIES, SECONDS } from '@countersign/protocol';
import { Wakeful, inSpanOfEach } from '@countersign/platform';
import type { ChainDeps, LedgerDeps } from './module.js';
import type { Drained, LedgerPosition } from './store.js';

/** A run of drains in short succession is one batch: fewer, fuller transactions under load. */
const GATHER_MS = 4;
const NOTE_MS = 1000;

/**
 * Chains what services have committed (R16) and signs checkpoints (R17): as soon as a decision waits for its anchor, else
 * after 100 entries or 5 s. One writer a tenant: the chain's head row; a second process finds it held and leaves.
 */
export function drainer(deps: ChainDeps): Wakeful {
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
    const drained = await append(deps, tenant);
    if (drained === null) {
      // Another process holds the chain and may have read before our row was there: look again soon.
      await gather();
      return false;
    }
    if (drained.appended > 0) deps.grown(tenant);
    if (checkpointDue(drained, checkpointed.get(tenant) ?? 0, deps.monotonicMs())) {
      await checkpoint(deps, tenant, drained);
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

/** One batch holds records of many traces: each of them has its own span of it. */
function append({ store, traces }: LedgerDeps, tenant: string): Promise<Drained | null> {
  return inSpanOfEach(
    'ledger append',
    {},
    () => store.drain(tenant, CHECKPOINT_ENTRIES),
    async (drained) => {
      if (traces === null || drained === null || drained.appended === 0) return [];
      const { appended, sequence } = drained;
      return (await traces.ofEntries(tenant, sequence - appended, sequence)).values();
    },
  );
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

/** Where the checkpoint goes that covers all there is, when one may. */
function positionIn({ checkpointed, ...drained }: Drained): LedgerPosition | undefined {
  if (drained.sequence - checkpointed > CHECKPOINT_ENTRIES) return undefined;
  return { ...drained, checkpoint_sequence: checkpointed };
}

/** Signs checkpoints up to the chain's end, each over at most 100 entries. */
async function checkpoint(deps: ChainDeps, tenant: string, drained: Drained): Promise<void> {
  let position = positionIn(drained);
  for (;;) {
    position ??= await deps.store.position(tenant, CHECKPOINT_ENTRIES);
    if (position === undefined) break;
    const at = position;
    const saved = await inSpanOfEach(
      'ledger checkpoint',
      {},
      () => signCheckpoint(deps, tenant, at),
      async () => (await decisionTraces(deps, tenant, at)).values(),
    );
    if (!saved) break;
    deps.checkpointed(tenant);
    if (position.sequence === drained.sequence) break;
    position = undefined;
  }
}

async function signCheckpoint(
  { notary, store }: LedgerDeps,
  tenant: string,
  position: LedgerPosition,
): Promise<boolean> {
  const { ledger_id, generation, sequence, head } = position;
  const { text } = await notary.issue(
    'AuditCheckpoint',
    { tenant: ledger_id, audience: 'proto.audit', purpose: 'service', profiles: {} },
    position.now,
    { ledger_id, generation, sequence, head },
  );
  return store.saveCheckpoint(tenant, position, text);
}

async function decisionTraces(
  { traces }: LedgerDeps,
  tenant: string,
  { checkpoint_sequence, sequence }: LedgerPosition,
): Promise<ReadonlyMap<string, string>> {
  if (traces === null) return new Map();
  return traces.ofEntries(tenant, checkpoint_sequence, sequence, 'DecisionReceipt');
}
