import { deleteMaterial } from '@countersign/protocol';
import { commit, onDeadline } from '@countersign/database';
import type { Deadlines, Saving } from '@countersign/database';
import type { Effect } from '@countersign/platform';
import { DELETE_PRIVATE } from '../store/deletion.js';
import type { DeletionStore } from '../store/deletion.js';

export interface PrivateDeletionDeps extends Saving {
  readonly deadlines: Pick<Deadlines, 'finish'>;
  readonly store: DeletionStore;
}

const RECORDER = { kind: 'system', subject: 'proto.retention' } as const;

/**
 * Protocol §11.2: the material of a request goes at `privateDeleteAt`, once, however many workers try. After
 * `request.discard` only candidates that were being frozen beside it are left to delete.
 */
export function privateDeletion(deps: PrivateDeletionDeps): Effect {
  const { store } = deps;
  return onDeadline({
    load: (item) => store.load(item),
    dueAt: ({ lifecycle }) => lifecycle.privateDeleteAt,
    decide: (stored) =>
      stored.lifecycle.materialDeleted
        ? null
        : deleteMaterial(stored.lifecycle, stored, RECORDER, stored.row.now),
    save: async (stored, transition, item) => {
      await commit(deps, DELETE_PRIVATE, stored, transition);
      await store.sweepPrivate(item);
    },
    finish: async (item) => {
      await store.sweepPrivate(item);
      await deps.deadlines.finish(item);
    },
  });
}
