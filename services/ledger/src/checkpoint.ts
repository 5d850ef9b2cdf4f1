import { CHECKPOINT_ENTRIES, SECONDS } from '@countersign/protocol';
import { inSpanOfEach } from '@countersign/platform';
import type { ChainDeps, LedgerDeps } from './deps.js';
import type { Drained, LedgerPosition } from './store/index.js';

/**
 * A decision waits for its anchor and no checkpoint is on its way: now. While one is, decisions gather for the next, so
 * that the anchor store is asked as often as it can answer and not once for each drain.
 */
export function checkpointDue(drained: Drained, lastMs: number, nowMs: number): boolean {
  const open = drained.sequence - drained.checkpointed;
  if (open === 0) return false;
  return (
    (drained.decided && !drained.anchoring) ||
    open >= CHECKPOINT_ENTRIES ||
    nowMs - lastMs >= SECONDS.checkpointInterval * 1000
  );
}

/** Where the checkpoint goes that covers all there is, when one may. */
export function positionIn({ checkpointed, ...drained }: Drained): LedgerPosition | undefined {
  if (drained.sequence - checkpointed > CHECKPOINT_ENTRIES) return undefined;
  return { ...drained, checkpoint_sequence: checkpointed };
}

/** Signs checkpoints up to the chain's end, each over at most 100 entries. */
export async function checkpoint(deps: ChainDeps, tenant: string, drained: Drained): Promise<void> {
  let position = positionIn(drained);
  for (;;) {
    position ??= await deps.store.position(tenant, CHECKPOINT_ENTRIES);
    if (position === undefined) break;
    const at = position;
    const save = async () => deps.store.saveCheckpoint(tenant, at, await checkpointText(deps, at));
    if (!(await saving(deps, tenant, at, save))) break;
    if (position.sequence === drained.sequence) break;
    position = undefined;
  }
}

/** Notifies the anchor worker once it is saved, possibly by another process. */
export async function saving(
  deps: ChainDeps,
  tenant: string,
  position: LedgerPosition,
  save: () => Promise<boolean>,
): Promise<boolean> {
  const { checkpoint_sequence: after, sequence: through } = position;
  const saved = await inSpanOfEach('ledger checkpoint', {}, save, async () =>
    (await decisionTraces(deps, tenant, after, through)).values(),
  );
  if (saved) deps.checkpointed(tenant);
  return saved;
}

/** The signed record. */
export async function checkpointText(
  { notary }: LedgerDeps,
  { ledger_id, generation, sequence, head, now }: LedgerPosition,
): Promise<string> {
  const { text } = await notary.issue(
    'AuditCheckpoint',
    { tenant: ledger_id, audience: 'proto.audit', purpose: 'service', profiles: {} },
    now,
    { ledger_id, generation, sequence, head },
  );
  return text;
}

/** Of the decisions among the entries after `after` up to `through`, by id of the receipt. */
export async function decisionTraces(
  { traces }: LedgerDeps,
  tenant: string,
  after: number,
  through: number,
): Promise<ReadonlyMap<string, string>> {
  return traces === null ? new Map() : traces.ofEntries(tenant, after, through, 'DecisionReceipt');
}
