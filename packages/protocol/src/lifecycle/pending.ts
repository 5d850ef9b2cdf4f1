import { Refusal } from '../errors.js';
import { applyDue } from './apply-due.js';
import { materialReadable } from './state.js';
import type { Decision, Lifecycle } from './state.js';
import type { Transition } from './transition.js';

/** PEND of protocol §6.4: refuses `request_not_pending` unless a person may still decide. */
export function requirePending(state: Lifecycle, now: number): Transition {
  const due = applyDue(state, now);
  if (
    due.next.decision !== 'pending' ||
    due.next.invalidated !== null ||
    !materialReadable(state, now)
  ) {
    throw new Refusal('request_not_pending');
  }
  return due;
}

/** A decision must be of the request's purpose (protocol §3.4). */
export function requireDecisionOfPurpose(purpose: Lifecycle['purpose'], decision: Decision): void {
  if (!isOfPurpose(purpose, decision)) throw new Refusal('purpose_decision_mismatch');
}

export function isOfPurpose(purpose: Lifecycle['purpose'], decision: Decision): boolean {
  const ofExecution = decision === 'authorise' || decision === 'refuse';
  return ofExecution === (purpose === 'authorise_execution');
}
