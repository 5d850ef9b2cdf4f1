import { invalidate } from '@countersign/protocol';
import type { MovedRequest } from '@countersign/database';
import type { Notary } from '@countersign/platform';
import type { Effects } from './directory-effects.js';
import type { DirectoryChange } from './store/directory.js';

/**
 * Takes authority from the requests that a change of the directory touches, one event each, before the change's own record
 * (protocol §4.1). Answers how many lost it.
 */
export async function invalidateAffected(
  change: DirectoryChange,
  notary: Notary,
  { affected, reasonOf }: Effects,
): Promise<number> {
  const moved: MovedRequest[] = [];
  for (const request of affected) {
    const reason = reasonOf(request);
    if (reason === null) continue;
    const { next, records: drafts } = invalidate(request.lifecycle, reason, change.now);
    const { id, version, owner, profiles } = request;
    const about = { id, owner, request: { purpose: request.lifecycle.purpose, profiles } };
    const records = await notary.sign(change.tenant, about, drafts, change.now);
    moved.push({ id, version, next, records });
  }
  if (moved.length > 0) await change.saveInvalidated(moved);
  return moved.length;
}
