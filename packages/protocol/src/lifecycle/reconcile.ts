import { Refusal } from '../errors.js';
import { outcomeDraft, recordOutcome, requireOwnClaim } from './outcome.js';
import type { Outcome } from './outcome.js';
import type { Lifecycle } from './state.js';
import type { RequestFacts, Transition } from './transition.js';

/**
 * `execution-authority.reconcile`: an operator settles an uncertain outcome, with reason and evidence; any status, over any
 * earlier outcome, without new authority.
 */
export function reconcile(
  state: Lifecycle,
  about: RequestFacts,
  command: Outcome & { readonly operator: string },
  now: number,
): Transition {
  if (!command.input.explained) throw new Refusal('reconciliation_evidence_required');
  requireOwnClaim(state, command);
  const recordedBy = { kind: 'operator' as const, subject: command.operator };
  const draft = outcomeDraft(about, command, recordedBy, now);
  return recordOutcome(
    state,
    about,
    command,
    { record: { type: 'ExecutionReconciliation', ...draft } },
    now,
  );
}
