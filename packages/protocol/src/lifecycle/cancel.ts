import { applyDue } from './apply-due.js';
import type { Lifecycle } from './state.js';
import type { Transition } from './transition.js';
import { withdraw } from './withdraw.js';

/** `request.cancel`: allowed in every state; an expired request stays expired (R6). */
export function cancel(state: Lifecycle, now: number): Transition {
  return withdraw(applyDue(state, now), 'cancelled', 'cancelled', 'cancelled');
}
