import { Refusal } from '../errors.js';
import { applyDue } from './due.js';
import { quietly, step } from './state.js';
import type { Lifecycle, OutcomeStatus, Transition } from './state.js';

export const MOST_ADMISSIONS = 64;

/**
 * The part of AUTHORITY (protocol §6.4) that the state alone decides, in its order:
 * purpose → fence → not invalidated and authorised → anchored → in time → grant as needed.
 */
export function requireAuthority(
  state: Lifecycle,
  needed: 'available' | 'consumed',
  fenced: boolean,
  now: number,
): Transition {
  if (state.purpose !== 'authorise_execution') throw new Refusal('execution_purpose_required');
  if (fenced) throw new Refusal('admission_fenced');
  const due = applyDue(state, now);
  const authorised = state.decision === 'confirmed' && state.grant !== 'none';
  if (due.next.invalidated !== null || !authorised) throw new Refusal('authority_revoked');
  if (state.audit !== 'anchored') throw new Refusal('pending_anchor');
  if (state.grantDeadline === null || now >= state.grantDeadline)
    throw new Refusal('grant_expired');
  if (state.grant !== needed) throw new Refusal('grant_unavailable');
  return due;
}

/** `execution-authority.claim`: the one use of the grant. */
export function claim(state: Lifecycle, fenced: boolean, now: number): Transition {
  const authority = requireAuthority(state, 'available', fenced, now);
  return step(authority, 'claimed', { grant: 'consumed', execution: 'claimed', claimed: true });
}

/**
 * `execution-authority.admit`: another bounded permit for the claim. The caller's claim id and identity are compared by the
 * operation.
 */
export function admit(
  state: Lifecycle,
  command: { ownClaim: boolean },
  fenced: boolean,
  now: number,
): Transition {
  const authority = requireAuthority(state, 'consumed', fenced, now);
  if (!command.ownClaim || state.outcomeRecorded) throw new Refusal('claim_unavailable');
  if (state.admissions >= MOST_ADMISSIONS) throw new Refusal('admission_check_limit');
  return quietly(authority, { execution: 'admitted', admissions: state.admissions + 1 });
}

/**
 * `execution-authority.report-outcome`: evidence of what happened, taken after expiry and revocation too (R11). Material is
 * deleted no later than `reconciliationSeconds` from now.
 */
export function report(
  state: Lifecycle,
  command: { ownClaim: boolean; status: OutcomeStatus; reconciliationSeconds: number },
  now: number,
): Transition {
  if (!state.claimed || !command.ownClaim) throw new Refusal('claim_unavailable');
  if (state.outcomeRecorded) throw new Refusal('outcome_conflict');
  if (command.status === 'abandoned') throw new Refusal('operator_reconciliation_required');
  return recorded(state, command, now);
}

/**
 * `execution-authority.reconcile`: an operator settles what is unsure; any status, over any earlier outcome, without new
 * authority.
 */
export function reconcile(
  state: Lifecycle,
  command: { ownClaim: boolean; status: OutcomeStatus; reconciliationSeconds: number },
  now: number,
): Transition {
  if (!state.claimed || !command.ownClaim) throw new Refusal('claim_unavailable');
  return recorded(state, command, now);
}

function recorded(
  state: Lifecycle,
  command: { status: OutcomeStatus; reconciliationSeconds: number },
  now: number,
): Transition {
  return step(applyDue(state, now), 'outcome', {
    execution: command.status,
    outcomeRecorded: true,
    privateDeleteAt: Math.min(state.privateDeleteAt, now + command.reconciliationSeconds * 1000),
  });
}

/** An outcome that claims an effect although nothing was ever admitted (R11) is an incident. */
export function claimsEffectUnadmitted(state: Lifecycle, status: OutcomeStatus): boolean {
  return (
    state.admissions === 0 &&
    (status === 'completed' || status === 'failed' || status === 'failed_partial')
  );
}

/**
 * R23: the time of an execution has passed (`dispatch_before` plus its seconds) and nobody said how it ended. Unknown
 * stays unknown, so the state cannot tell that this was said before: the caller's deadline row does, and says it once.
 * Returns null when there is nothing to say (yet).
 */
export function reconciliationDue(
  state: Lifecycle,
  command: { executionSeconds: number },
  now: number,
): Transition | null {
  if (!state.claimed || state.outcomeRecorded || state.grantDeadline === null) return null;
  if (now < state.grantDeadline + command.executionSeconds * 1000) return null;
  return step({ next: state, events: [] }, 'reconciliation_due', {});
}
