import { deleteMaterial } from '@countersign/protocol';
import { onDeadline, readAs } from '@countersign/database';
import type { Deadlines } from '@countersign/database';
import type { Effect, Notary } from '@countersign/platform';
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
  return onDeadline({
    load: (item) => store.load(item),
    dueAt: ({ lifecycle }) => lifecycle.privateDeleteAt,
    decide: (stored) =>
      stored.lifecycle.materialDeleted
        ? null
        : deleteMaterial(stored.lifecycle, stored, RECORDER, stored.row.now),
    save: async (stored, { next, records, deadlines, settled }, item) => {
      const { tenant } = item;
      await store.deletePrivate(
        {
          ...readAs(tenant, stored),
          before: null,
          records: await deps.notary.sign(tenant, stored, records, stored.row.now),
          answer: null,
          deadlines,
          settled,
        },
        next,
      );
      deps.chained(tenant);
      await store.sweepPrivate(item);
    },
    finish: async (item) => {
      await store.sweepPrivate(item);
      await deps.deadlines.finish(item);
    },
  });
}
