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
    const { next, events } = invalidate(request.lifecycle, reason, change.now);
    const subject = {
      tenant: change.tenant,
      audience: request.owner,
      purpose: request.lifecycle.purpose,
      profiles: request.profiles,
    };
    const records = await notary.events(request.id, subject, events, change.now);
    moved.push({ id: request.id, version: request.version, next, records });
  }
  if (moved.length > 0) await change.saveInvalidated(moved);
  return moved.length;
}
