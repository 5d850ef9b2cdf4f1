import type { InboxItem } from '@countersign/protocol';

import type { Group } from './view.js';

const MINUTE = 60_000;

/** Bands of the time that is left; each ends before its span. */
export const BANDS = ['soon', 'hour', 'day', 'later'] as const;
export type Band = (typeof BANDS)[number];
const SPANS: Readonly<Record<Band, number>> = {
  soon: 15 * MINUTE,
  hour: 60 * MINUTE,
  day: 24 * 60 * MINUTE,
  later: Infinity,
};

export function bandOf(deadline: number, now: number): Band {
  return BANDS.find((band) => deadline - now < SPANS[band]) ?? 'later';
}

/** A line of the list: the head of a group, or a request with its place among all. */
export type Line =
  | {
      readonly kind: 'head';
      readonly key: string;
      readonly name: string | Band;
      readonly count: number;
    }
  | {
      readonly kind: 'item';
      readonly key: string;
      readonly item: InboxItem;
      readonly place: number;
    };

/** The groups in the order of their first request; within each the order of the list. */
export function linesOf(items: readonly InboxItem[], group: Group, now: number): Line[] {
  const groups = new Map<string, InboxItem[]>();
  for (const item of items) {
    const name = groupOf(item, group, now);
    const known = groups.get(name);
    if (known) known.push(item);
    else groups.set(name, [item]);
  }
  let place = 0;
  return [...groups].flatMap(([name, members]) => [
    ...(group === 'none'
      ? []
      : [{ kind: 'head', key: `head ${name}`, name, count: members.length } as const]),
    ...members.map((item) => ({ kind: 'item', key: item.id, item, place: place++ }) as const),
  ]);
}

function groupOf(item: InboxItem, group: Group, now: number): string {
  if (group === 'route') return item.route;
  if (group === 'producer') return item.producer.name ?? item.producer.id;
  return group === 'due' ? bandOf(Date.parse(item.deadline), now) : '';
}
