import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { inbox } from '../strings/inbox.js';
import type { Line } from './groups.js';

const SPARE = 10;
/** A row is one line on a desktop, two on a tablet and three or four on a phone; inbox.css has the same figures. */
const HEIGHTS = {
  wide: { item: 38, head: 34 },
  middle: { item: 64, head: 34 },
  narrow: { item: 92, head: 34 },
  /** Of requests that are over, whose states take more room. */
  narrowOver: { item: 116, head: 34 },
} as const;
const WIDE = '(min-width: 64rem)';
const MIDDLE = '(min-width: 48rem)';

/**
 * A list of any length in the page's own scrolling, of which only the rows near the window exist. The row `active` is brought
 * into view, and its link gets the focus, whenever `steps` grows.
 */
export function RequestList(props: {
  readonly lines: readonly Line[];
  readonly active: string;
  readonly steps: number;
  readonly busy: boolean;
  /** The requests are over: their rows say more. */
  readonly over: boolean;
  readonly row: (line: Extract<Line, { kind: 'item' }>) => ComponentChild;
  readonly head: (line: Extract<Line, { kind: 'head' }>) => ComponentChild;
}) {
  const { lines, active, steps, busy, over, row, head } = props;
  const list = useRef<HTMLOListElement>(null);
  const [heights, setHeights] = useState(() => heightsNow(over));
  const tops: number[] = [];
  let whole = 0;
  for (const { kind } of lines) {
    tops.push(whole);
    whole += heights[kind];
  }
  const [seen, setSeen] = useState({ from: 0, to: 40 });

  const look = () => {
    const element = list.current;
    if (!element) return;
    const top = -element.getBoundingClientRect().top;
    const first = placeAt(tops, top);
    const last = placeAt(tops, top + window.innerHeight);
    const from = Math.max(0, first - SPARE);
    const to = last + SPARE;
    setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
  };
  useEffect(() => {
    const onResize = () => {
      setHeights(heightsNow(over));
      look();
    };
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', onResize);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', onResize);
    };
  });
  useLayoutEffect(() => setHeights(heightsNow(over)), [over]);
  useLayoutEffect(look, [lines.length, heights]);

  useLayoutEffect(() => {
    const at = lines.findIndex(({ key }) => key === active);
    const element = list.current;
    if (steps === 0 || at < 0 || !element) return;
    const { top } = element.getBoundingClientRect();
    const place = top + (tops[at] as number);
    // Below the bar that stays above the list.
    const bar = document.querySelector('.bar')?.getBoundingClientRect().height ?? 0;
    if (place < bar + heights.head) window.scrollBy(0, place - bar - heights.head);
    else if (place + heights.item > window.innerHeight) {
      window.scrollBy(0, place + heights.item - window.innerHeight + 8);
    }
    look();
  }, [steps]);
  useLayoutEffect(() => {
    if (steps === 0) return;
    list.current
      ?.querySelector<HTMLElement>(`[data-id="${CSS.escape(active)}"] .request-link`)
      ?.focus({ preventScroll: true });
  }, [steps, seen]);

  const from = Math.min(seen.from, lines.length);
  const to = Math.min(seen.to, lines.length);
  return (
    <ol
      class={busy ? 'requests stale' : 'requests'}
      ref={list}
      aria-label={inbox.listLabel}
      aria-busy={busy}
      style={{
        paddingTop: `${tops[from] ?? 0}px`,
        paddingBottom: `${Math.max(0, whole - (tops[to] ?? whole))}px`,
      }}
    >
      {lines.slice(from, to).map((line) => (line.kind === 'head' ? head(line) : row(line)))}
    </ol>
  );
}

function heightsNow(over: boolean) {
  if (window.matchMedia(WIDE).matches) return HEIGHTS.wide;
  if (window.matchMedia(MIDDLE).matches) return HEIGHTS.middle;
  return over ? HEIGHTS.narrowOver : HEIGHTS.narrow;
}

/** The place of the line that covers a height. */
function placeAt(tops: readonly number[], height: number): number {
  let low = 0;
  let high = tops.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] as number) <= height) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
