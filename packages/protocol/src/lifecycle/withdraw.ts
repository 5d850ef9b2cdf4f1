import { hasUnusedGrant } from './state.js';
import type { DecisionState, EventReason, Invalidation, Lifecycle } from './state.js';
import { step } from './transition.js';
import type { Consequences, Transition } from './transition.js';

/**
 * The step that cancelling, revoking, superseding, invalidating and deleting have in common: takes authority away for good.
 * Marks the request unless it is marked, ends a pending review as `ending`, revokes an unused grant.
 */
export function withdraw(
  from: Transition,
  reason: EventReason,
  mark: Invalidation | null,
  ending: DecisionState,
  changes: Partial<Lifecycle> = {},
  consequences: Consequences = {},
): Transition {
  const { invalidated, decision, grant } = from.next;
  return step(
    from,
    reason,
    {
      invalidated: invalidated ?? mark,
      decision: decision === 'pending' ? ending : decision,
      grant: hasUnusedGrant({ grant }) ? 'revoked' : grant,
      ...changes,
    },
    consequences,
  );
}
