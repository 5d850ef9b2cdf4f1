import type { DeadlineSource, DueItem, Effect } from '@countersign/platform';

export interface Part {
  /** Begins the kind of its items, and of no part before it. */
  readonly prefix: string;
  readonly source: DeadlineSource;
  readonly effect: Effect;
}

/** Several sources as one: the sweep has the items of each in its order, and an item leads back to its part. */
export function oneAfterAnother(parts: readonly Part[]): {
  readonly source: DeadlineSource;
  readonly effectOf: Effect;
} {
  const placeOf = ({ kind }: DueItem) => parts.findIndex(({ prefix }) => kind.startsWith(prefix));
  const partOf = (item: DueItem) => parts[placeOf(item)] as Part;
  return {
    source: {
      async upcoming(aheadMs, after, most) {
        const first = after === null ? 0 : placeOf(after);
        const items = [];
        for (const [place, { source }] of parts.entries()) {
          if (place < first || items.length >= most) continue;
          const behind = place === first ? after : null;
          items.push(...(await source.upcoming(aheadMs, behind, most - items.length)));
        }
        return items;
      },
      async overdue() {
        const each = await Promise.all(parts.map(({ source }) => source.overdue()));
        return {
          count: each.reduce((sum, { count }) => sum + count, 0),
          oldestMs: Math.max(...each.map(({ oldestMs }) => oldestMs)),
        };
      },
      failed: (item) => partOf(item).source.failed(item),
    },
    effectOf: (item) => partOf(item).effect(item),
  };
}
