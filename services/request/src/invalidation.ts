import { invalidate } from '@countersign/protocol';
import type { Notary } from '@countersign/platform';
import type { IssuedRecord } from '@countersign/platform';
import type { Effects } from './directory-effects.js';
import type { Affected, DirectoryChange } from './store/directory.js';

/**
 * Takes authority from the requests that a change of the directory touches, one event each (protocol §4.1: events
 * first, then the configuration record).
 */
export async function invalidateAffected(
  change: DirectoryChange,
  notary: Notary,
  { affected, reasonOf }: Effects,
): Promise<{ records: IssuedRecord[]; requests: string[] }> {
  const changes: { id: string; next: Affected['lifecycle'] }[] = [];
  const records: IssuedRecord[] = [];
  const requests: string[] = [];
  for (const request of affected) {
    const reason = reasonOf(request);
    if (reason === null) continue;
    const { next, events } = invalidate(request.lifecycle, reason, change.now);
    changes.push({ id: request.id, next });
    const subject = {
      tenant: change.tenant,
      audience: request.owner,
      purpose: request.lifecycle.purpose,
      profiles: request.profiles,
    };
    for (const record of await notary.events(request.id, subject, events, change.now)) {
      records.push(record);
      requests.push(request.id);
    }
  }
  if (changes.length > 0) await change.saveInvalidated(changes);
  return { records, requests };
}
