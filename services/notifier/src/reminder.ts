import { remind as decide } from '@countersign/protocol';
import { requireRequestIntegrity } from '@countersign/database';
import type { NewAnswer, StoredRequest } from '@countersign/database';
import type { ReminderDeps } from './deps.js';

/**
 * One reminder of a request, asked for by a caller or by the worker: at most one a day, counted over supersession
 * (protocol §7 notifier.remind). Throws a Refusal when it may not be, and StaleRead when another call moved the request
 * meanwhile.
 */
export async function saveReminder(
  deps: ReminderDeps,
  tenant: string,
  stored: StoredRequest,
  answer: NewAnswer | null,
): Promise<void> {
  requireRequestIntegrity(stored, tenant);
  const { now, directory_revision: directoryRevision } = stored.row;
  const { next, events } = decide(stored.lifecycle, now);
  const { purpose, profiles } = stored.request;
  const subject = { tenant, audience: stored.owner, purpose, profiles };
  await deps.store.remind(
    {
      tenant,
      directoryRevision,
      requestId: stored.id,
      version: stored.version,
      before: stored.lifecycle.reviewDeadline,
      records: await deps.notary.events(stored.id, subject, events, now),
      deadlines: [],
      answer,
    },
    next,
  );
  deps.chained(tenant);
}
