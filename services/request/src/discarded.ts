import type { StoredRequest } from '@countersign/database';
import type { IssuedRecord, Notary } from '@countersign/platform';
import type { LifecycleEvent, PayloadOf } from '@countersign/protocol';

/**
 * Records of a private deletion at `now`: what was due before it, then MaterialDiscarded, which comes before the event
 * that tells of it (protocol §4.1).
 */
export async function discardedRecords(
  notary: Notary,
  tenant: string,
  stored: StoredRequest,
  events: readonly LifecycleEvent[],
  recordedBy: PayloadOf<'MaterialDiscarded'>['recorded_by'],
): Promise<IssuedRecord[]> {
  const subject = {
    tenant,
    audience: stored.owner,
    purpose: stored.request.purpose,
    profiles: stored.request.profiles,
  };
  const { now } = stored.row;
  const [records, discarded] = await Promise.all([
    notary.events(stored.id, subject, events, now),
    notary.issue('MaterialDiscarded', subject, now, {
      request_id: stored.id,
      request_digest: stored.digest,
      reason: 'retention',
      recorded_by: recordedBy,
    }),
  ]);
  records.splice(-1, 0, discarded);
  return records;
}
