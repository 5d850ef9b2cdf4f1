import { Refusal } from '../errors.js';
import { applyDue } from './due.js';
import { hasUnusedGrant, quietly, step } from './state.js';
import type { DecisionState, EventReason, Invalidation, Lifecycle, Transition } from './state.js';

/** Takes authority away for good: marks the request, ends a pending review as `ending`, revokes an unused grant. */
function withdraw(
  from: Transition,
  reason: EventReason,
  mark: Invalidation | null,
  ending: DecisionState,
  changes: Partial<Lifecycle> = {},
): Transition {
  const state = from.next;
  return step(from, reason, {
    invalidated: state.invalidated ?? mark,
    decision: state.decision === 'pending' ? ending : state.decision,
    grant: hasUnusedGrant(state) ? 'revoked' : state.grant,
    ...changes,
  });
}

/** `request.cancel` and `request.revoke`: allowed in every state; an expired request stays expired (R6). */
export function cancel(state: Lifecycle, now: number): Transition {
  return withdraw(applyDue(state, now), 'cancelled', 'cancelled', 'cancelled');
}

export function revoke(state: Lifecycle, now: number): Transition {
  return withdraw(applyDue(state, now), 'revoked', 'revoked', 'cancelled');
}

/**
 * `request.discard` and the deletion worker: private material goes now (protocol §11.2), and goes once: afterwards there is
 * nothing left to delete and nothing to tell. The worker comes at `privateDeleteAt`, `request.discard` at any time.
 */
export function deleteMaterial(state: Lifecycle, now: number): Transition {
  if (state.materialDeleted) return applyDue(state, now);
  const mark = state.purpose === 'authorise_execution' ? 'retention' : null;
  // A review deadline that falls due together with the deletion is told by the one event (protocol §11.1).
  const due = state.decision === 'pending' ? { next: state, events: [] } : applyDue(state, now);
  return withdraw(due, 'material_deleted', mark, 'expired', {
    materialDeleted: true,
    privateDeleteAt: Math.min(state.privateDeleteAt, now),
  });
}

/**
 * `request.supersede` on the replaced request. An execution that is no longer `unclaimed` keeps its occurrence: a recovered
 * one too, because a restored database may have forgotten the claim. Whether the occurrence still belongs to this request
 * is compared by the operation.
 */
export function supersede(state: Lifecycle, now: number): Transition {
  const due = applyDue(state, now);
  if (state.purpose === 'authorise_execution') {
    if (state.execution !== 'unclaimed') throw new Refusal('occurrence_consumed');
    if (state.decision === 'superseded') throw new Refusal('occurrence_unavailable');
  }
  return withdraw(due, 'supersession', 'superseded', 'superseded');
}

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

/**
 * Recovery retires a namespace: what was not consumed is gone, how executions stand is uncertain (protocol §11.9, R18).
 * Its own changes have no event (protocol §3.5); deadlines that came before it are told as always.
 */
export function retireNamespace(state: Lifecycle, now: number): Transition {
  const due = applyDue(state, now);
  const { next } = due;
  return quietly(due, {
    invalidated: next.invalidated ?? 'namespace_retired',
    decision: next.decision === 'pending' ? 'cancelled' : next.decision,
    grant: next.grant === 'none' || hasUnusedGrant(next) ? 'revoked' : next.grant,
    execution: next.execution === 'not_applicable' ? 'not_applicable' : 'uncertain',
  });
}
