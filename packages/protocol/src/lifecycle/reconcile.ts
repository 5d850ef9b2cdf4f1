import { Refusal } from '../errors.js';
import { outcomePayload, recordOutcome, requireOwnClaim } from './outcome.js';
import type { Outcome } from './outcome.js';
import type { Lifecycle } from './state.js';
import type { RequestFacts, Transition } from './transition.js';

/**
 * `execution-authority.reconcile`: an operator settles what is unsure, with reason and evidence; any status, over any earlier
 * outcome, without new authority.
 */
export function reconcile(
  state: Lifecycle,
  about: RequestFacts,
  command: Outcome & { readonly operator: string },
  now: number,
): Transition {
  const { reason, evidence } = command.input.details as { reason?: unknown; evidence?: unknown };
  if (!reason || !evidence) throw new Refusal('reconciliation_evidence_required');
  requireOwnClaim(state, command);
  const recorded_by = { kind: 'operator' as const, subject: command.operator };
  const payload = { ...outcomePayload(about, command, now), recorded_by };
  return recordOutcome(
    state,
    about,
    command,
    { record: { type: 'ExecutionReconciliation', payload } },
    now,
  );
}
