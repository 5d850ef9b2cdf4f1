import type { Pool } from '@countersign/database';
import { cachedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import { FeedStore } from './store/feed.js';

/** How far the follower is behind the chain: no notification was sent for later entries. */
export function followerMetrics(registry: Registry, log: Logger, pool: Pool): void {
  const feed = new FeedStore(pool);
  const name = 'countersign_follower_lag_entries';
  cachedGauges(
    registry,
    log,
    [{ name, help: 'Entries without deliveries yet, of the tenant that is furthest behind.' }],
    async () => ({ [name]: [{ value: await feed.mostBehind() }] }),
  );
}
