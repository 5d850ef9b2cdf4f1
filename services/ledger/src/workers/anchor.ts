import { anchor as decide, canonicalText } from '@countersign/protocol';
import { KeyedWorker, inSpanOfEach, openSpan } from '@countersign/platform';
import { AnchorError, FENCING_FAULTS } from '../anchor/anchor-store.js';
import type { AnchorStore } from '../anchor/anchor-store.js';
import { decisionTraces } from '../checkpoint.js';
import type { OpenCheckpoint } from '../store/index.js';
import type { Comparison, ComparisonDeps } from './comparison.js';

const MOST_WAIT_MS = 30_000;

/**
 * Writes each checkpoint to the anchor store and, once it is accepted, anchors the decisions that it covers and opens
 * their grants (protocol §4.2). Accepting twice is harmless and every decision moves by compare-and-set, so any number
 * of replicas may run; a failure is tried again for ever, with a growing pause.
 */
export function anchorWorker(deps: ComparisonDeps, comparison: Comparison): KeyedWorker {
  const notBefore = new Map<string, number>();
  const failures = new Map<string, number>();

  async function work(tenant: string): Promise<boolean> {
    if ((notBefore.get(tenant) ?? 0) > performance.now()) return false;
    const checkpoint = await deps.store.nextCheckpoint(tenant);
    if (checkpoint === undefined) return false;
    // A restored ledger must not write into the store before it is seen to be one.
    if (checkpoint.behind) return false;
    if (!checkpoint.compared && !(await comparison.settled(tenant))) return false;
    try {
      const { previous_sequence: after, sequence: through } = checkpoint;
      const traces = await decisionTraces(deps, tenant, after, through);
      const acceptance =
        checkpoint.acceptance ??
        (await inSpanOfEach(
          'anchor write',
          { kind: 'client' },
          () => accept(deps.anchors, checkpoint),
          async () => traces.values(),
        ));
      failures.delete(tenant);
      await apply(deps, tenant, checkpoint, acceptance, traces);
      return true;
    } catch (error) {
      if (!(error instanceof AnchorError)) throw error;
      const count = (failures.get(tenant) ?? 0) + 1;
      failures.set(tenant, count);
      notBefore.set(tenant, performance.now() + Math.min(MOST_WAIT_MS, 250 * 2 ** count));
      deps.log.error(
        { tenant, fault: error.fault, sequence: checkpoint.sequence, err: error.cause },
        'the anchor store did not accept a checkpoint',
      );
      await deps.store.noteFailure(tenant, checkpoint, error.fault);
      if (FENCING_FAULTS.has(error.fault)) {
        await deps.store.fence(tenant, checkpoint.generation, error.fault);
      }
      return false;
    }
  }

  return new KeyedWorker({
    name: 'anchoring',
    work,
    poll: () => deps.store.tenantsUnanchored(),
    pollMs: 1000,
    log: deps.log,
  });
}

async function accept(anchors: AnchorStore, checkpoint: OpenCheckpoint): Promise<string> {
  const acceptance = await anchors.accept({
    ledgerId: checkpoint.ledger_id,
    generation: checkpoint.generation,
    sequence: checkpoint.sequence,
    text: checkpoint.record,
    issuedAt: checkpoint.created_at,
  });
  return canonicalText(acceptance);
}

/** The time that decides over a grant is read after the store has answered. */
async function apply(
  deps: ComparisonDeps,
  tenant: string,
  checkpoint: OpenCheckpoint,
  acceptance: string,
  traces: ReadonlyMap<string, string>,
): Promise<void> {
  const { now, decisions } = await deps.store.decisions(
    tenant,
    checkpoint.previous_sequence,
    checkpoint.sequence,
  );
  const moves = decisions.map(async (decision) => {
    const transition = decide(decision.lifecycle, now);
    if (transition === null) return [];
    const { id, owner, profiles, lifecycle } = decision;
    const about = { id, owner, request: { purpose: lifecycle.purpose, profiles } };
    // Deliveries about it belong to the trace of the decision.
    const span = openSpan('anchor accept', { parent: traces.get(decision.receiptId) });
    const [record] = await span.run(() => deps.notary.sign(tenant, about, transition.records, now));
    return record === undefined ? [] : [{ decision, next: transition.next, record, span }];
  });
  const moved = (await Promise.all(moves)).flat();
  try {
    await deps.store.anchor(tenant, checkpoint, acceptance, moved);
  } finally {
    for (const { span } of moved) span.end();
  }
  deps.anchored(now - checkpoint.created_at);
  deps.chained(tenant);
  // Decisions that gathered meanwhile can have their checkpoint.
  deps.decided(tenant);
}
