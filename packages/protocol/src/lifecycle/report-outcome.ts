import { Refusal } from '../errors.js';
import type { Recorder } from '../records/index.js';
import { outcomeDraft, recordOutcome, requireOwnClaim } from './outcome.js';
import type { Outcome } from './outcome.js';
import type { Lifecycle, OutcomeStatus } from './state.js';
import type { RequestFacts, Transition } from './transition.js';

const EFFECTS: readonly OutcomeStatus[] = ['completed', 'failed', 'failed_partial'];

/**
 * `execution-authority.report-outcome`: evidence of an outcome, accepted after expiry and revocation too. An effect of an
 * action that was never admitted is an incident (R11).
 */
export function reportOutcome(
  state: Lifecycle,
  about: RequestFacts,
  command: Outcome & { readonly recordedBy: Recorder },
  now: number,
): Transition {
  requireOwnClaim(state, command);
  if (state.outcomeRecorded) throw new Refusal('outcome_conflict');
  const { status } = command.input;
  if (status === 'abandoned') throw new Refusal('operator_reconciliation_required');
  const isUnadmitted = state.admissions === 0 && EFFECTS.includes(status);
  const draft = outcomeDraft(about, command, command.recordedBy, now);
  return recordOutcome(
    state,
    about,
    command,
    {
      record: { type: 'ExecutionOutcome', ...draft },
      incidents: isUnadmitted ? ['outcome_without_admission'] : [],
    },
    now,
  );
}
