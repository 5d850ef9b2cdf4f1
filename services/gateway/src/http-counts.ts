import type { Logger } from '@countersign/platform';

import type { HttpCount, Store } from './store/index.js';

const WRITE_MS = 1_000;

export interface HttpCounts {
  count(tenant: string, status: number): void;
  /** Writes pending counts: before the metrics are read, so that they include the reader's own calls. */
  flush(): Promise<void>;
  /** Writes pending counts. */
  stop(): Promise<void>;
}

/**
 * Counts answers per tenant in memory and adds them to the database's counts about once a second, so that they are the same
 * from every replica (R24). Counts that cannot be written now are kept for the next time.
 */
export function createHttpCounts(
  store: Pick<Store, 'addHttpCounts'>,
  log: Pick<Logger, 'warn'>,
): HttpCounts {
  let counts = new Map<string, HttpCount>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function add(tenant: string, total: number, failures: number, conflicts: number): void {
    const known = counts.get(tenant);
    counts.set(tenant, {
      tenant,
      total: total + (known?.total ?? 0),
      failures: failures + (known?.failures ?? 0),
      conflicts: conflicts + (known?.conflicts ?? 0),
    });
    timer ??= setTimeout(() => void flush(), WRITE_MS).unref();
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  async function write(): Promise<void> {
    const taken = [...counts.values()];
    counts = new Map();
    clearTimeout(timer);
    timer = undefined;
    if (taken.length === 0) return;
    try {
      await store.addHttpCounts(taken);
    } catch (error) {
      log.warn({ err: error }, 'the counts of HTTP answers are written later');
      for (const { tenant, total, failures, conflicts } of taken) {
        add(tenant, total, failures, conflicts);
      }
    }
  }

  return {
    count(tenant, status) {
      add(tenant, 1, status >= 400 ? 1 : 0, status === 409 ? 1 : 0);
    },
    flush,
    async stop() {
      await flush();
      clearTimeout(timer);
    },
  };
}
