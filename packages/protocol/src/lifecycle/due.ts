import { hasUnusedGrant, quietly, step } from './state.js';
import type { Lifecycle, Transition } from './state.js';

/**
 * Applies every deadline that has come (R6; equality counts as expired). Each command starts from here, and reads show
 * its result without writing it; the expiry worker persists it when nobody else did.
 */
export function applyDue(state: Lifecycle, now: number): Transition {
  let transition: Transition = { next: state, events: [] };
  if (state.decision === 'pending' && now >= state.reviewDeadline) {
    transition = step(transition, 'expiry', { decision: 'expired' });
  }
  if (hasUnusedGrant(state) && state.grantDeadline !== null && now >= state.grantDeadline) {
    transition = step(transition, 'expiry', { grant: 'expired' });
  }
  // Authority ends with the material it was given on, even while the deletion itself is late.
  if (
    state.purpose === 'authorise_execution' &&
    state.invalidated === null &&
    (state.materialDeleted || now >= state.privateDeleteAt)
  ) {
    transition = quietly(transition, { invalidated: 'retention' });
  }
  return transition;
}

/** The state as a reader sees it now (protocol §5.1: "reads show expiry at once without writing"). */
export function effective(state: Lifecycle, now: number): Lifecycle {
  return applyDue(state, now).next;
}
