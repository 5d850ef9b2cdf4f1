import { Refusal } from '../errors.js';
import { applyDue } from './due.js';
import { materialReadable, step } from './state.js';
import type { Lifecycle, Transition } from './state.js';

export type ReviewDecision = 'answer' | 'approve' | 'reject';
export type ExecutionDecision = 'authorise' | 'refuse';
export type Decision = ReviewDecision | ExecutionDecision;

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
  const ofExecution = decision === 'authorise' || decision === 'refuse';
  if (ofExecution !== (purpose === 'authorise_execution'))
    throw new Refusal('purpose_decision_mismatch');
}

/**
 * `review.confirm`. The grant's clock starts here and is never restarted: grant deadline = min(now + grant seconds, valid
 * until).
 */
export function confirm(
  state: Lifecycle,
  command: { decision: Decision; grantSeconds: number; validUntil: number | null },
  now: number,
): Transition {
  const pending = requirePending(state, now);
  requireDecisionOfPurpose(state.purpose, command.decision);
  if (state.purpose === 'review') {
    return step(pending, 'decision', { decision: 'confirmed', audit: 'pending' });
  }
  const grantDeadline = Math.min(
    now + command.grantSeconds * 1000,
    command.validUntil ?? Number.POSITIVE_INFINITY,
  );
  return step(pending, 'decision', {
    decision: 'confirmed',
    audit: 'pending',
    grant: command.decision === 'authorise' ? 'pending_anchor' : 'none',
    grantDeadline,
  });
}

/**
 * A checkpoint over the decision was accepted (protocol §4.2). `now` is read after the anchor store answered.
 * Returns null when the decision is not waiting for it.
 */
export function anchor(state: Lifecycle, now: number): Transition | null {
  if (state.audit !== 'pending') return null;
  const grant =
    state.grant !== 'pending_anchor'
      ? state.grant
      : state.invalidated === null && state.grantDeadline !== null && now < state.grantDeadline
        ? 'available'
        : 'expired';
  return step({ next: state, events: [] }, 'anchor_accepted', { audit: 'anchored', grant });
}

/** `notifier.remind`: at most one reminder in 86400 s, a superseding request inherits the time. */
export function remind(state: Lifecycle, now: number): Transition {
  const pending = requirePending(state, now);
  requireReminderDue(state, now);
  return step(pending, 'reminder', { remindedAt: now });
}

function requireReminderDue(state: Lifecycle, now: number): void {
  const day = 86_400_000;
  if (state.remindedAt !== null && now - state.remindedAt < day) {
    throw new Refusal('reminder_limit', {
      retryAfter: Math.ceil((state.remindedAt + day - now) / 1000),
    });
  }
}
