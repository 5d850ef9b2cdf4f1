import type { Lifecycle } from './state.js';
import { quietly, step, unchanged } from './transition.js';
import type { RequestFacts, Transition } from './transition.js';

/**
 * R23: the time of an execution has passed (`dispatch_before` plus its seconds) and its outcome is unknown. Unknown stays
 * unknown, so the state cannot tell that this was said before: the deadline that it settles does, and says it once.
 * Returns null when there is nothing to say (yet).
 */
export function reconciliationDue(
  state: Lifecycle,
  { request }: Pick<RequestFacts, 'request'>,
  now: number,
): Transition | null {
  const { grantDeadline } = state;
  if (!isOutcomeMissing(state) || grantDeadline === null) return null;
  const over = grantDeadline + (request.execution?.execution_seconds ?? 0) * 1000;
  if (now < over) return null;
  const end = over + request.limits.reconciliation_seconds * 1000;
  return step(
    unchanged(state),
    'reconciliation_due',
    {},
    {
      deadlines: [{ kind: 'reconciliation_end', due: end }],
      settled: ['reconciliation'],
      incidents: ['reconciliation_due'],
    },
  );
}

/**
 * R23: the deadline `reconciliation_end` has come as well, and the outcome is still unknown. The incident takes the place of
 * `reconciliation_due`. Returns null when there is nothing to say.
 */
export function reconciliationOver(state: Lifecycle): Transition | null {
  if (!isOutcomeMissing(state)) return null;
  return quietly(
    unchanged(state),
    {},
    { settled: ['reconciliation_end'], incidents: ['reconciliation_overdue'] },
  );
}

function isOutcomeMissing({ claimed, outcomeRecorded }: Lifecycle): boolean {
  return claimed && !outcomeRecorded;
}
