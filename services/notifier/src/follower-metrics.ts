import type { Pool } from '@countersign/database';
import { cachedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import { FeedStore } from './store/feed.js';
import { NoticeStore } from './store/notices.js';

const LAG = 'countersign_follower_lag_entries';
const UNTOLD = 'countersign_chat_untold_seconds';

/**
 * How far the follower is behind the chain: no notification was sent for later entries. And for how long a channel of Slack
 * or Teams was not told of a review.
 */
export function followerMetrics(registry: Registry, log: Logger, pool: Pool): void {
  const feed = new FeedStore(pool);
  const notices = new NoticeStore(pool);
  cachedGauges(
    registry,
    log,
    [
      { name: LAG, help: 'Entries without deliveries yet, of the tenant that is furthest behind.' },
      {
        name: UNTOLD,
        help: 'Seconds since the first review of which a channel of Slack or Teams was not told.',
      },
    ],
    async () => {
      const [behind, untold] = await Promise.all([feed.mostBehind(), notices.oldestUntold()]);
      return { [LAG]: [{ value: behind }], [UNTOLD]: [{ value: untold }] };
    },
  );
}
