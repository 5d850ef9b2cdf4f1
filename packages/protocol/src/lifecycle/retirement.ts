import { retireNamespace } from './withdrawal.js';
import type { Lifecycle } from './state.js';

/**
 * What a recovery saves of {@link retireNamespace}. A recovery has no key, so it cannot sign the events of deadlines that have
 * come: these states stay as they are. Readers see them applied at once (`applyDue`) and their worker tells of them, which leads
 * to the state of {@link retireNamespace} (protocol §11.9).
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
