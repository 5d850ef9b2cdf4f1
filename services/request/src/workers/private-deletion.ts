import { applyDue, deleteMaterial } from '@countersign/protocol';
import { commit, onDeadline } from '@countersign/database';
import type { Deadlines, RequestRow, Saving } from '@countersign/database';
import type { Effect } from '@countersign/platform';
import { DELETE_PRIVATE, EXPIRE_HELD } from '../store/deletion.js';
import type { DeletionStore } from '../store/deletion.js';

export interface PrivateDeletionDeps extends Saving {
  readonly deadlines: Pick<Deadlines, 'finish'>;
  readonly store: DeletionStore;
}

const RECORDER = { kind: 'system', subject: 'proto.retention' } as const;

/**
 * Protocol §11.2: the material of a request goes at `privateDeleteAt`, once, however many workers try. After
 * `request.discard` only candidates that were being frozen beside it are left to delete. While a legal hold keeps them, only the
 * review expires that would have ended with the material.
 */
export function privateDeletion(deps: PrivateDeletionDeps): Effect {
  const { store } = deps;
  return onDeadline({
    load: (item) => store.load(item),
    // A rest is never late, and a deletion that rested is late from the end of its hold on.
    dueAt: ({ lifecycle, row }) =>
      Math.max(lifecycle.privateDeleteAt, isHeld(row) ? row.now : (row.held_until ?? 0)),
    decide: (stored) => {
      const { lifecycle, row } = stored;
      if (isHeld(row)) return applyDue(lifecycle, row.now);
      return lifecycle.materialDeleted
        ? null
        : deleteMaterial(lifecycle, stored, RECORDER, row.now);
    },
    save: async (stored, transition, item) => {
      if (isHeld(stored.row)) {
        if (transition.records.length > 0) await commit(deps, EXPIRE_HELD, stored, transition);
        await store.concealMaterial(item);
        return;
      }
      await commit(deps, DELETE_PRIVATE, stored, transition);
      await store.sweepPrivate(item);
    },
    finish: async (item) => {
      await store.sweepPrivate(item);
      await deps.deadlines.finish(item);
    },
  });
}

function isHeld({ held_until = null, now }: RequestRow): boolean {
  return held_until !== null && held_until > now;
}
