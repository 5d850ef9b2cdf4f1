import type { DeadlineSource, DueItem, UpcomingItem } from '@countersign/platform';
import { oneAfterAnother } from './sources.js';

const itemOf = (kind: string): UpcomingItem => ({
  ...{ tenant: 't', requestId: '', kind, due: 0, inMs: 0 },
});

function sourceOf(kinds: readonly string[], failed: string[]): DeadlineSource {
  return {
    upcoming: async (_ahead, after, most) => {
      const from = after === null ? 0 : kinds.indexOf(after.kind) + 1;
      return kinds.slice(from, from + most).map(itemOf);
    },
    overdue: async () => ({ count: kinds.length, oldestMs: kinds.length * 10 }),
    failed: async ({ kind }: DueItem) => void failed.push(kind),
  };
}

const failed: string[] = [];
const parts = [
  ['chat.', ['chat.1', 'chat.2']],
  ['digest.', []],
  ['', ['smtp.1', 'smtp.2', 'webhook.3']],
] as const;
const { source, effectOf } = oneAfterAnother(
  parts.map(([prefix, kinds]) => ({
    prefix,
    source: sourceOf(kinds, failed),
    effect: async () => ({ lateMs: kinds.length }),
  })),
);

test.each([1, 2, 3, 4, 100])('pages of %i have every item once', async (most) => {
  const seen: string[] = [];
  for (let after: UpcomingItem | null = null; ;) {
    const page: UpcomingItem[] = await source.upcoming(0, after, most);
    expect(page.length).toBeLessThanOrEqual(most);
    seen.push(...page.map(({ kind }) => kind));
    if (page.length < most) break;
    after = page.at(-1) ?? null;
  }
  expect(seen).toEqual(parts.flatMap(([, kinds]) => kinds));
});

test('counts what is overdue in all, and leads an item back to its part', async () => {
  expect(await source.overdue()).toEqual({ count: 5, oldestMs: 30 });
  await source.failed(itemOf('smtp.2'));
  expect(failed).toEqual(['smtp.2']);
  expect(await effectOf(itemOf('chat.2'))).toEqual({ lateMs: 2 });
  expect(await effectOf(itemOf('webhook.3'))).toEqual({ lateMs: 3 });
});
