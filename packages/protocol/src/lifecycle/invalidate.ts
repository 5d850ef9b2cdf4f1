import { applyDue } from './apply-due.js';
import type { Invalidation, Lifecycle } from './state.js';
import type { Transition } from './transition.js';
import { withdraw } from './withdraw.js';

export type DirectoryInvalidation = Extract<
  Invalidation,
  | 'requester_removed'
  | 'reviewer_removed'
  | 'producer_removed'
  | 'producer_authorisation_changed'
  | 'authorisation_changed'
>;

/**
 * A principal or route changed so that this request's authority no longer stands (protocol §7 request.configure-principal,
 * request.configure-route; R10).
 */
export function invalidate(
  state: Lifecycle,
  reason: DirectoryInvalidation,
  now: number,
): Transition {
  return withdraw(applyDue(state, now), reason, reason, 'cancelled');
}
