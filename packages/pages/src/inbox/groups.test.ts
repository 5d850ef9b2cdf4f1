import type { InboxItem } from '@countersign/protocol';

import { bandOf, linesOf } from './groups.js';

const minute = 60_000;
const item = (id: string, left: number, route = 'r') =>
  ({
    id,
    route,
    producer: { id: 'p', name: null },
    deadline: new Date(left * minute).toISOString(),
  }) as InboxItem;

test.each([
  [14.9, 'soon'],
  [15, 'hour'],
  [60, 'day'],
  [24 * 60, 'later'],
] as const)('%d minutes before its deadline a request is in the band %s', (left, band) => {
  expect(bandOf(left * minute, 0)).toBe(band);
});

test('groups come in the order of their first request and keep the order within', () => {
  const items = [item('a', 1, 'x'), item('b', 2, 'y'), item('c', 90, 'x')];
  const told = (group: 'due' | 'route' | 'none') =>
    linesOf(items, group, 0).map((line) =>
      line.kind === 'head' ? `${line.name} ${line.count}` : `${line.place}${line.item.id}`,
    );
  expect(told('due')).toEqual(['soon 2', '0a', '1b', 'day 1', '2c']);
  expect(told('route')).toEqual(['x 2', '0a', '1c', 'y 1', '2b']);
  expect(told('none')).toEqual(['0a', '1b', '2c']);
});
