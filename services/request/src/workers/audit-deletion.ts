import type { Effect } from '@countersign/platform';
import type { DeletionStore } from '../store/deletion.js';

/** Recent events take moments to be chained, such as that of a deletion that fell due together with this one. */
const CHAINED_WITHIN_MS = 60_000;

/**
 * Protocol §11.3: at `audit_delete_at` the request is deleted with all its records, and with private material if any is
 * left. Kept: its entries in the chain, without texts, and for ever the occurrence and identities that it took. A request that
 * is held is hidden instead, and deleted after its hold.
 */
export function auditDeletion(store: DeletionStore): Effect {
  return async (item) => {
    const { lateMs, done } = await store.deleteRequest(item);
    if (done) return { lateMs };
    if (lateMs < CHAINED_WITHIN_MS) return 'later';
    throw new Error('some evidence is not chained');
  };
}
