import { hasUnusedGrant } from './state.js';
import type { Lifecycle } from './state.js';
import { quietly, step, unchanged } from './transition.js';
import type { Transition } from './transition.js';

/** The part of a state that expires. */
type Expiring = Pick<Lifecycle, 'decision' | 'grant' | 'reviewDeadline' | 'grantDeadline'>;

/**
 * Applies every deadline that has come (R6; equality counts as expired). Each command starts from here, and reads show
 * its result without writing it; the expiry worker persists it unless another step did.
 */
export function applyDue(state: Lifecycle, now: number): Transition {
  let transition = unchanged(state);
  if (isReviewOver(state, now)) {
    transition = step(transition, 'expiry', { decision: 'expired' }, { settled: ['review'] });
  }
  if (isGrantOver(state, now)) {
    transition = step(transition, 'expiry', { grant: 'expired' }, { settled: ['grant'] });
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

/** The states as a reader sees them now (protocol §5.1: "reads show expiry at once without writing"). */
export function effective<State extends Expiring>(state: State, now: number): State {
  return {
    ...state,
    decision: isReviewOver(state, now) ? 'expired' : state.decision,
    grant: isGrantOver(state, now) ? 'expired' : state.grant,
  };
}

function isReviewOver({ decision, reviewDeadline }: Expiring, now: number): boolean {
  return decision === 'pending' && now >= reviewDeadline;
}

function isGrantOver({ grant, grantDeadline }: Expiring, now: number): boolean {
  return hasUnusedGrant({ grant }) && grantDeadline !== null && now >= grantDeadline;
}
