import { startLoop } from '@countersign/platform';
import type { Logger, Loop } from '@countersign/platform';
import type { Store } from './store/index.js';

const EVERY_MS = 10_000;
const AT_ONCE = 500;

/**
 * Removes sessions that ran out or ended with a change of their person, so that the security log says when and how they
 * ended. Any number of gateways may.
 */
export function endLapsedSessions(
  store: Pick<Store, 'endLapsed' | 'endRevoked'>,
  log: Logger,
): Loop {
  return startLoop(EVERY_MS, async () => {
    try {
      // First: an ended session does not expire any more.
      while ((await store.endRevoked(AT_ONCE)) === AT_ONCE);
      while ((await store.endLapsed(AT_ONCE)) === AT_ONCE);
    } catch (error) {
      log.warn({ err: error }, 'sessions that ended cannot be removed now');
    }
  });
}
