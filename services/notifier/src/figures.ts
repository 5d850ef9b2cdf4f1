import { askedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import type { FeedStore } from './store/feed.js';

/** How far the follower is behind the chain: what it has not passed, nobody was told of. */
export function followerFigures(registry: Registry, log: Logger, feed: FeedStore): void {
  const name = 'countersign_follower_lag_entries';
  askedGauges(
    registry,
    log,
    [{ name, help: 'Entries of the chain that the tenant furthest behind was not told of yet.' }],
    async () => ({ [name]: [{ value: await feed.mostBehind() }] }),
  );
}
