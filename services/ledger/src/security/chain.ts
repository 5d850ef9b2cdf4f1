import { KeyedWorker } from '@countersign/platform';
import type { Logger } from '@countersign/platform';
import type { SecurityStore } from '../store/security.js';

/** As many events as one transaction chains. */
const AT_ONCE = 500;
const POLL_MS = 500;

/**
 * Chains the events of the security log that services have committed. One writer a chain; any number of replicas may run.
 * No caller waits for it, so it looks for work by itself and needs no hints.
 */
export function securityDrain(deps: {
  readonly store: SecurityStore;
  readonly log: Logger;
}): KeyedWorker {
  return new KeyedWorker({
    name: 'security log',
    work: async (tenant) => (await deps.store.drain(tenant, AT_ONCE)) === AT_ONCE,
    poll: () => deps.store.waiting(),
    pollMs: POLL_MS,
    log: deps.log,
  });
}
