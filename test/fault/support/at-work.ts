import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerEntry } from '@countersign/protocol';
import { reviewInput } from '../../support/requests.js';
import type { Cast } from './fixture.js';
import { insist, newAttempts } from './insist.js';
import type { Attempts } from './insist.js';
import { completeLifecycle } from './lifecycles.js';

/** Invariant I12: how soon work goes on after a store has come back, on a machine with time for it. */
export const BACK_AT_WORK_MS = 10_000;
/** R31: in the default configuration no deadline is told later. */
const DEADLINE_MS = 15_000;
const LOOK_EVERY_MS = 100;

const KINDS = {
  'a call': { withinMs: BACK_AT_WORK_MS, work: aCall },
  'a lifecycle': { withinMs: BACK_AT_WORK_MS, work: completeLifecycle },
  'a deadline': { withinMs: DEADLINE_MS, work: aDeadline },
} as const;

/**
 * The kinds of work that are not done in time, from now on. `slowness`: how many times as long as usual this machine takes for
 * work that nothing disturbs.
 */
export async function notDone(cast: Cast, slowness = 1): Promise<string[]> {
  const done = await Promise.all(
    Object.values(KINDS).map(async ({ withinMs, work }) => {
      const attempts = newAttempts();
      const late = setTimeout(() => attempts.end(), slowness * withinMs);
      try {
        await Promise.race([work(cast, attempts), ended(attempts)]);
        return true;
      } catch (error) {
        if (attempts.ended.aborted) return false;
        throw error;
      } finally {
        clearTimeout(late);
      }
    }),
  );
  return Object.keys(KINDS).filter((_, at) => done[at] === false);
}

/** A call that hangs does not look whether its time is over. */
function ended({ ended: signal }: Attempts): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

async function aCall({ producer }: Cast, attempts: Attempts): Promise<void> {
  await insist(producer, attempts, '/v2/requests?state=pending', { method: 'GET' });
}

/** A review that expires at once has the event of it in the ledger. */
async function aDeadline({ demo, producer }: Cast, attempts: Attempts): Promise<void> {
  const body = reviewInput(demo, { review_seconds: 1 });
  const created = await insist(producer, attempts, '/v2/requests', { body });
  const path = `/v2/requests/${created.body.request.id as string}/export`;
  for (;;) {
    const { body: read } = await insist(producer, attempts, path, { method: 'GET' });
    const entries = read.audit as readonly LedgerEntry[];
    if (entries.some(({ record }) => record?.includes('"reason":"expiry"'))) return;
    await delay(LOOK_EVERY_MS);
  }
}
