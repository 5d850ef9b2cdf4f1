import type { Lifecycle } from './state.js';
import { step, unchanged } from './transition.js';
import type { Transition } from './transition.js';

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
  return step(unchanged(state), 'anchor_accepted', { audit: 'anchored', grant });
}
