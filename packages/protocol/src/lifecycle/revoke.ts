import { applyDue } from './apply-due.js';
import type { Lifecycle } from './state.js';
import type { Transition } from './transition.js';
import { withdraw } from './withdraw.js';

/** `request.revoke`: as cancelling, but distinct in the records. */
export function revoke(state: Lifecycle, now: number): Transition {
  return withdraw(applyDue(state, now), 'revoked', 'revoked', 'cancelled');
}
