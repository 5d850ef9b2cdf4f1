import { startLoop } from '@countersign/platform';
import type { Logger, Loop } from '@countersign/platform';
import type { Store } from './store.js';

const EVERY_MS = 10_000;
const AT_ONCE = 500;

/** Removes sessions that ran out, so that the security log says when they ended. Any number of gateways may. */
export function endLapsedSessions(store: Pick<Store, 'endLapsed'>, log: Logger): Loop {
  return startLoop(EVERY_MS, async () => {
    try {
      while ((await store.endLapsed(AT_ONCE)) === AT_ONCE);
    } catch (error) {
      log.warn({ err: error }, 'sessions that ran out cannot be removed now');
    }
  });
}
