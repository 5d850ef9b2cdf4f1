import { SUPPORTED_PROFILES, remind } from '@countersign/protocol';
import type { Transition } from '@countersign/protocol';
import { commit, requireRequestIntegrity } from '@countersign/database';
import type { NewAnswer, StoredRequest } from '@countersign/database';
import type { ReminderDeps } from './deps.js';
import { REMIND } from './store/index.js';

/**
 * One reminder of a request, asked for by a caller or due by itself: at most one a day, counted over supersession
 * (protocol §7 notifier.remind). Throws a Refusal when it may not be.
 */
export function decideReminder(
  { offered }: Pick<ReminderDeps, 'offered'>,
  tenant: string,
  stored: StoredRequest,
): Transition {
  requireRequestIntegrity(stored, tenant, { ...SUPPORTED_PROFILES, ...offered });
  return remind(stored.lifecycle, stored.row.now);
}

/** `answer`: that of the caller who asked for it. Throws StaleRead when another call moved the request. */
export function saveReminder(
  deps: ReminderDeps,
  stored: StoredRequest,
  transition: Transition,
  answer?: NewAnswer,
): Promise<unknown> {
  const before = stored.lifecycle.reviewDeadline;
  return commit(deps, REMIND, stored, transition, { before, ...(answer && { answer }) });
}
