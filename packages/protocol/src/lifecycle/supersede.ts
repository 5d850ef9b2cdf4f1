import { Refusal } from '../errors.js';
import type { RequestInput } from '../records/index.js';
import { applyDue } from './apply-due.js';
import type { Lifecycle } from './state.js';
import type { RequestFacts, Transition } from './transition.js';
import { withdraw } from './withdraw.js';

export interface Superseding {
  readonly input: Pick<RequestInput, 'purpose' | 'execution'>;
  /** The request that the occurrence of the replaced one belongs to by now. */
  readonly occurrenceRequest: string | null;
}

/**
 * `request.supersede` on the replaced request; the new one is {@link create}d. An execution that is no longer `unclaimed`
 * keeps its occurrence: a recovered one too, because a restored database may have forgotten the claim.
 */
export function supersede(
  state: Lifecycle,
  { id, request }: RequestFacts,
  { input, occurrenceRequest }: Superseding,
  now: number,
): Transition {
  if (input.purpose !== request.purpose) throw new Refusal('purpose_immutable');
  const due = applyDue(state, now);
  if (state.purpose === 'authorise_execution') {
    if (state.execution !== 'unclaimed') throw new Refusal('occurrence_consumed');
    if (state.decision === 'superseded') throw new Refusal('occurrence_unavailable');
  }
  const occurrence = request.execution?.action_occurrence_id;
  if (input.execution?.action_occurrence_id !== occurrence) throw new Refusal('occurrence_changed');
  if (occurrence !== undefined && occurrenceRequest !== id) {
    throw new Refusal('occurrence_unavailable');
  }
  return withdraw(due, 'supersession', 'superseded', 'superseded');
}
