import { remind } from '@countersign/protocol';
import type { Transition } from '@countersign/protocol';
import { readAs, requireRequestIntegrity } from '@countersign/database';
import type { NewAnswer, StoredRequest } from '@countersign/database';
import type { ReminderDeps } from './deps.js';

/**
 * One reminder of a request, asked for by a caller or due by itself: at most one a day, counted over supersession
 * (protocol §7 notifier.remind). Throws a Refusal when it may not be.
 */
export function decideReminder(tenant: string, stored: StoredRequest): Transition {
  requireRequestIntegrity(stored, tenant);
  return remind(stored.lifecycle, stored.row.now);
}

/** `answer`: what the caller is answered, null where there is none. Throws StaleRead when another call moved the request. */
export async function saveReminder(
  deps: ReminderDeps,
  tenant: string,
  stored: StoredRequest,
  { next, records, deadlines }: Transition,
  answer: NewAnswer | null,
): Promise<void> {
  await deps.store.remind(
    {
      ...readAs(tenant, stored),
      before: stored.lifecycle.reviewDeadline,
      records: await deps.notary.sign(tenant, stored, records, stored.row.now),
      deadlines,
      answer,
    },
    next,
  );
  deps.chained(tenant);
}
