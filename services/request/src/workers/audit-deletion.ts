import type { Effect } from '@countersign/platform';
import type { DeletionStore } from '../store/deletion.js';

/**
 * Contract §11.3: at `audit_delete_at` the request goes with all that tells of it, private material too should it still be
 * there. What stays: its places in the chain, without texts, and for ever the occurrence and identities that it took.
 */
export function auditDeletion(store: DeletionStore): Effect {
  return async (item) => {
    const lateMs = await store.deleteRequest(item);
    return lateMs === null ? 'later' : { lateMs };
  };
}
