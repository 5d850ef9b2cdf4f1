import { anchor as decide, canonicalText } from '@countersign/protocol';
import { newId } from '@countersign/platform';
import { AnchorError } from '../anchor/anchor-store.js';
import type { AnchorStore } from '../anchor/anchor-store.js';
import type { LedgerDeps } from '../module.js';
import type { OpenCheckpoint } from '../store.js';
import { Wakeful } from '../wakeful.js';

const CONFLICTS = new Set([
  'anchor_conflict',
  'anchor_version_conflict',
  'anchor_deleted_version',
  'anchor_history_invalid',
]);
const MOST_WAIT_MS = 30_000;

/**
 * Writes each checkpoint to the anchor store and, once it is accepted, anchors the decisions that it covers and opens
 * their grants (contract §4.2). Accepting twice is harmless and every decision moves by compare-and-set, so any number
 * of replicas may run; a failure is tried again for ever, with a growing pause.
 */
export function anchorWorker(deps: LedgerDeps & { anchors: AnchorStore }): Wakeful {
  const notBefore = new Map<string, number>();
  const failures = new Map<string, number>();

  async function work(tenant: string): Promise<boolean> {
    if ((notBefore.get(tenant) ?? 0) > deps.monotonicMs()) return false;
    const checkpoint = await deps.store.nextCheckpoint(tenant);
    if (checkpoint === undefined) return false;
    try {
      const acceptance = checkpoint.acceptance ?? (await accept(deps.anchors, checkpoint));
      failures.delete(tenant);
      await apply(deps, tenant, checkpoint, acceptance);
      return true;
    } catch (error) {
      if (!(error instanceof AnchorError)) throw error;
      const count = (failures.get(tenant) ?? 0) + 1;
      failures.set(tenant, count);
      notBefore.set(tenant, deps.monotonicMs() + Math.min(MOST_WAIT_MS, 250 * 2 ** count));
      deps.log.error(
        { tenant, fault: error.fault, sequence: checkpoint.sequence, err: error.cause },
        'the anchor store did not accept a checkpoint',
      );
      await deps.store.noteFailure(tenant, checkpoint, error.fault);
      if (CONFLICTS.has(error.fault)) await deps.store.fence(tenant, error.fault, newId());
      return false;
    }
  }

  return new Wakeful({
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
  deps: LedgerDeps,
  tenant: string,
  checkpoint: OpenCheckpoint,
  acceptance: string,
): Promise<void> {
  const { now, decisions } = await deps.store.decisions(
    tenant,
    checkpoint.previous_sequence,
    checkpoint.sequence,
  );
  const moved = decisions.flatMap((decision) => {
    const transition = decide(decision.lifecycle, now);
    if (transition === null) return [];
    const subject = {
      tenant,
      audience: decision.owner,
      purpose: decision.lifecycle.purpose,
      profiles: decision.profiles,
    };
    const [record] = deps.notary.events(decision.id, subject, transition.events, now);
    return record === undefined ? [] : [{ decision, next: transition.next, record }];
  });
  await deps.store.anchor(tenant, checkpoint, acceptance, moved);
  // There are events to chain, and decisions that gathered meanwhile can have their checkpoint.
  deps.chained(tenant);
}
