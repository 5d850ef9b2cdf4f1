import type { PayloadOf, RecordType } from '@countersign/protocol';
import type { Scenario } from './scenario.js';

/** One kind of record has wrong content; every signature is valid, and dependent records fit. */
export function saying<Type extends RecordType>(
  type: Type,
  changes: object,
  more: Scenario = {},
): Scenario {
  return { ...more, amend: { [type]: (it: PayloadOf<Type>) => ({ ...it, ...changes }) } };
}

export function outcomeSaying(
  type: 'ExecutionOutcome' | 'ExecutionReconciliation',
  changes: object,
  more: Scenario = {},
): Scenario {
  const amend = (it: any) => ({ ...it, outcome: { ...it.outcome, ...changes } });
  return { ...more, amend: { [type]: amend } };
}

/** The event of one revision says something else. */
export function eventSaying(
  revision: number,
  { state, ...changes }: { state?: object; reason?: string; event_id?: string },
  more: Scenario = {},
): Scenario {
  return {
    ...more,
    amend: {
      RequestChangedEvent: (it) =>
        it.revision === revision ? { ...it, ...changes, state: { ...it.state, ...state } } : it,
    },
  };
}
