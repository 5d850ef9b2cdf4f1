import { applyDue } from './apply-due.js';
import { hasUnusedGrant } from './state.js';
import type { Lifecycle } from './state.js';
import { quietly } from './transition.js';
import type { Transition } from './transition.js';

/**
 * Recovery retires a namespace: unconsumed authority ends, executions become uncertain (protocol §11.9, R18). Its own
 * changes have no event (protocol §3.5); deadlines that came before it have their events as always.
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

/**
 * The part of {@link retireNamespace} that a recovery saves. A recovery has no key, so it cannot sign the events of
 * deadlines that have come: these states stay as they are. Readers see them applied at once (`applyDue`) and their worker
 * makes the events, which leads to the state of {@link retireNamespace} (protocol §11.9).
 */
export function retireWithoutEvents(state: Lifecycle, now: number): Lifecycle {
  const { next } = retireNamespace(state, now);
  return {
    ...next,
    revision: state.revision,
    decision: next.decision === 'expired' ? state.decision : next.decision,
    grant: next.grant === 'expired' ? state.grant : next.grant,
  };
}
