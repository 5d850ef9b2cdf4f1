import { deleteMaterial } from '@countersign/protocol';
import { storedRequest, withFreshState } from '@countersign/database';
import type { Deadlines } from '@countersign/database';
import type { Effect, Notary } from '@countersign/platform';
import { discardedRecords } from '../discarded.js';
import type { DeletionStore } from '../store/deletion.js';

export interface PrivateDeletionDeps {
  readonly deadlines: Pick<Deadlines, 'finish'>;
  readonly store: DeletionStore;
  readonly notary: Notary;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

const RECORDER = { kind: 'system', subject: 'proto.retention' } as const;

/**
 * Protocol §11.2: the material of a request goes at `privateDeleteAt`, once, however many workers try. After `request.discard`
 * only what was on its way beside it is left to do.
 */
export function privateDeletion(deps: PrivateDeletionDeps): Effect {
  const { store } = deps;
  return (item) =>
    withFreshState(async () => {
      const row = await store.load(item);
      const stored = row === undefined ? null : storedRequest(row);
      if (stored === null) {
        await deps.deadlines.finish(item);
        return { lateMs: 0 };
      }
      const { lifecycle, version } = stored;
      const { now, directory_revision } = stored.row;
      if (now < lifecycle.privateDeleteAt) return 'later';
      if (!lifecycle.materialDeleted) {
        const { next, events } = deleteMaterial(lifecycle, now);
        await store.deletePrivate(
          {
            tenant: item.tenant,
            directoryRevision: directory_revision,
            requestId: stored.id,
            version,
            before: null,
            records: await discardedRecords(deps.notary, item.tenant, stored, events, RECORDER),
            answer: null,
            deadlines: [],
          },
          next,
        );
        deps.chained(item.tenant);
      }
      await store.sweepPrivate(item);
      return { lateMs: now - item.due };
    });
}
