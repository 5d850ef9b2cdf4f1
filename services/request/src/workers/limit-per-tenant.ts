import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';

/**
 * Limits the items of one tenant in one pass of the sweep (protocol §11.3), so that a tenant with many does not delay the
 * others. A pass begins with the first page; items over the limit come in a later pass.
 */
export function limitPerTenant(source: DeadlineSource, perTenant: number): DeadlineSource {
  let taken = new Map<string, number>();
  const takes = ({ tenant }: DueItem): boolean => {
    const before = taken.get(tenant) ?? 0;
    taken.set(tenant, before + 1);
    return before < perTenant;
  };
  return {
    overdue: () => source.overdue(),
    failed: (item) => source.failed(item),
    async upcoming(aheadMs, after, most) {
      if (after === null) taken = new Map();
      const page: UpcomingItem[] = [];
      for (let last = after; page.length < most;) {
        const asked = most - page.length;
        const found = await source.upcoming(aheadMs, last, asked);
        page.push(...found.filter(takes));
        if (found.length < asked) break;
        last = found.at(-1) as UpcomingItem;
      }
      return page;
    },
  };
}
