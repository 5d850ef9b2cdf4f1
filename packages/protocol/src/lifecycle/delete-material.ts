import type { Recorder } from '../records/index.js';
import { applyDue } from './apply-due.js';
import type { Lifecycle } from './state.js';
import { earlierDeletion, unchanged } from './transition.js';
import type { RequestFacts, Transition } from './transition.js';
import { withdraw } from './withdraw.js';

/**
 * `request.discard` and the deletion worker: private material is deleted now (protocol §11.2), and once: afterwards there
 * is nothing left to delete and no event to make. The worker comes at `privateDeleteAt`, `request.discard` at any time.
 */
export function deleteMaterial(
  state: Lifecycle,
  { id, digest }: RequestFacts,
  recordedBy: Recorder,
  now: number,
): Transition {
  if (state.materialDeleted) return applyDue(state, now);
  const mark = state.purpose === 'authorise_execution' ? 'retention' : null;
  // A review deadline that falls due together with the deletion is part of the one event (protocol §11.1).
  const due = state.decision === 'pending' ? unchanged(state) : applyDue(state, now);
  const privateDeleteAt = Math.min(state.privateDeleteAt, now);
  return withdraw(
    due,
    'material_deleted',
    mark,
    'expired',
    { materialDeleted: true, privateDeleteAt },
    {
      record: {
        type: 'MaterialDiscarded',
        payload: {
          reason: 'retention',
          recorded_by: recordedBy,
          request_digest: digest,
          request_id: id,
        },
      },
      // The worker then deletes candidates that were being frozen beside this.
      deadlines: earlierDeletion(state, privateDeleteAt),
      // A step that ends a review or revokes a grant has no deadline left to wait for.
      settled: ['review', 'grant'],
    },
  );
}
