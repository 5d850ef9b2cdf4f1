import type { Logger } from '@countersign/platform';
import { textDigest } from '@countersign/protocol';

import type { Store } from './store/index.js';
import type { RefusalCount } from './store/security-events.js';

const EVERY_MS = 60_000;
/** Rows that one minute costs at most, however many strangers call: the others share one row for each reason. */
const MOST = 64;

export interface RefusalCounts {
  /** Counts one refusal to a caller of this network. */
  count(kind: RefusalCount['kind'], reason: string, network: string): void;
  /** Writes the counts. */
  stop(): Promise<void>;
}

/**
 * Refused logins and unknown credentials of strangers, for the security log: counted in memory and written once a minute,
 * so that a flood of them costs no more than a trickle. Counts that cannot be written are kept and increased.
 */
export function createRefusalCounts(store: Pick<Store, 'addRefusals'>, log: Logger): RefusalCounts {
  let counted = new Map<string, RefusalCount>();

  function add(one: RefusalCount): void {
    const of = (address: string | null) => `${one.kind} ${one.reason} ${address}`;
    const isRoom = counted.size < MOST || counted.has(of(one.address));
    const address = isRoom ? one.address : null;
    const known = counted.get(of(address))?.count ?? 0;
    counted.set(of(address), { ...one, address, count: known + one.count });
  }

  async function write(): Promise<void> {
    const counts = [...counted.values()];
    if (counts.length === 0) return;
    counted = new Map();
    try {
      await store.addRefusals(counts);
    } catch (error) {
      log.warn({ err: error }, 'refusals cannot be recorded in the security log now');
      counts.forEach(add);
    }
  }

  const timer = setInterval(() => void write(), EVERY_MS);
  timer.unref();
  return {
    count: (kind, reason, network) => add({ kind, reason, address: textDigest(network), count: 1 }),
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
