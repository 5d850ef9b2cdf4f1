import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';
import { limitPerTenant } from './limit-per-tenant.js';

const item = (tenant: string, due: number): UpcomingItem => ({
  tenant,
  requestId: `${tenant}-${due}`,
  kind: 'private_deletion',
  due,
  inMs: 0,
});

function sourceOf(items: readonly UpcomingItem[]): DeadlineSource & { pages: number } {
  const source = {
    pages: 0,
    async upcoming(_aheadMs: number, after: DueItem | null, most: number) {
      source.pages += 1;
      const start = after === null ? 0 : items.findIndex(({ due }) => due === after.due) + 1;
      return items.slice(start, start + most);
    },
    overdue: async () => ({ count: items.length, oldestMs: 0 }),
    failed: async () => {},
  };
  return source;
}

/** As the sweep walks: page after page until one is not full. */
async function pass(source: DeadlineSource, batch: number): Promise<string[]> {
  const found: UpcomingItem[] = [];
  for (let last: UpcomingItem | null = null; ;) {
    const page: UpcomingItem[] = await source.upcoming(0, last, batch);
    found.push(...page);
    if (page.length < batch) return found.map(({ requestId }) => requestId);
    last = page.at(-1) as UpcomingItem;
  }
}

const many = Array.from({ length: 20 }, (_, due) => item('large', due));

it.each([1, 3, 7, 100])(
  'takes so many of each tenant in one pass, in pages of %i',
  async (batch) => {
    const source = limitPerTenant(sourceOf([...many, item('small', 20), item('small', 21)]), 4);
    expect(await pass(source, batch)).toEqual([
      'large-0',
      'large-1',
      'large-2',
      'large-3',
      'small-20',
      'small-21',
    ]);
  },
);

it('begins anew with every pass', async () => {
  const source = limitPerTenant(sourceOf(many), 4);
  expect(await pass(source, 3)).toEqual(await pass(source, 3));
});

it('asks no further when there is no more', async () => {
  const source = sourceOf(many.slice(0, 2));
  expect(await pass(limitPerTenant(source, 4), 10)).toHaveLength(2);
  expect(source.pages).toBe(1);
});
