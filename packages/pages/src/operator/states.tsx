import type { AuditState, DecisionState, ExecutionState, GrantState } from '@countersign/protocol';

import { Chip } from '../parts/Chip.js';
import type { Tone } from '../parts/Chip.js';
import { operator } from '../strings/operator.js';

const decisions: Record<DecisionState, Tone> = {
  pending: 'accent',
  confirmed: 'good',
  cancelled: 'neutral',
  expired: 'warning',
  superseded: 'neutral',
};
const audits: Record<AuditState, Tone> = {
  unanchored: 'neutral',
  pending: 'accent',
  anchored: 'good',
  conflict: 'bad',
};
const grants: Record<GrantState, Tone> = {
  not_applicable: 'neutral',
  none: 'neutral',
  pending_anchor: 'accent',
  available: 'good',
  expired: 'warning',
  revoked: 'bad',
  consumed: 'good',
};
const executions: Record<ExecutionState, Tone> = {
  not_applicable: 'neutral',
  unclaimed: 'neutral',
  claimed: 'accent',
  admitted: 'accent',
  completed: 'good',
  failed: 'bad',
  failed_partial: 'bad',
  uncertain: 'warning',
  cancelled_before_dispatch: 'neutral',
  abandoned: 'warning',
};

export function Decision({ state }: { state: DecisionState }) {
  return <Chip tone={decisions[state]}>{operator.decisions[state]}</Chip>;
}
export function Audit({ state }: { state: AuditState }) {
  return <Chip tone={audits[state]}>{operator.audits[state]}</Chip>;
}
export function Grant({ state }: { state: GrantState }) {
  return <Chip tone={grants[state]}>{operator.grants[state]}</Chip>;
}
export function Execution({ state }: { state: ExecutionState }) {
  return <Chip tone={executions[state]}>{operator.executions[state]}</Chip>;
}
