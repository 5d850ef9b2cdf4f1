import { reconcile as decide } from '@countersign/protocol';
import { requireIntegrity, requireOperator } from '@countersign/database';
import { storedReply } from '@countersign/platform';
import { claimIn } from '../authority.js';
import type { ExecutionDeps } from '../deps.js';
import { openOutcome } from '../outcome.js';
import type { OutcomeStep } from '../outcome.js';

/** `execution-authority.reconcile`: an operator settles it, with a reason and evidence; every earlier record is kept. */
export function reconcile(deps: ExecutionDeps): OutcomeStep<'execution-authority.reconcile'> {
  return async (call) => {
    const { caller, input } = call;
    const { opened, save } = await openOutcome(deps, call);
    requireOperator(opened.principal);
    if (opened.replay !== null) return storedReply(opened.replay);
    const { row } = opened;
    const stored = await opened.visible();
    requireIntegrity(stored, caller.tenant, deps.profiles);
    const transition = decide(
      stored.lifecycle,
      stored,
      { input, claim: claimIn(row.claim), claimDigest: row.claim_digest, operator: caller.id },
      row.now,
    );
    return save(stored, transition);
  };
}
