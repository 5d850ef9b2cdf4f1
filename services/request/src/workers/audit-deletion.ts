import type { Effect } from '@countersign/platform';
import type { DeletionStore } from '../store/deletion.js';

/** The chain takes moments to get to what was told a moment ago, such as of a deletion that fell due together with this one. */
const CHAINED_WITHIN_MS = 60_000;

/**
 * Protocol §11.3: at `audit_delete_at` the request goes with all that tells of it, private material too should it still be
 * there. What stays: its places in the chain, without texts, and for ever the occurrence and identities that it took.
 */
export function auditDeletion(store: DeletionStore): Effect {
  return async (item) => {
    const { lateMs, deleted } = await store.deleteRequest(item);
    if (deleted) return { lateMs };
    if (lateMs < CHAINED_WITHIN_MS) return 'later';
    throw new Error('some evidence is not chained');
  };
}
