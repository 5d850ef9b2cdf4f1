import { piecesOf } from '@countersign/verifier-page/characters';
import { useEffect, useState } from 'preact/hooks';

import { KeyList } from '../parts/KeyList.js';
import { useKeys } from '../parts/keys.js';
import { knownQueue } from '../queue/queue.js';
import { review } from '../strings/review.js';
import { addressOf, waysOf } from './QueueBar.js';

/** Where deciding begins: at the tick below a frozen answer, at the choice, or at what is there instead. */
const CONTROLS = [
  '.panel .read input',
  'input:checked',
  'input, textarea, select',
  'h2[tabindex], a',
];

/** The keys of a review. They lead to the decision and to other requests; none of them decides (protocol §12.6). */
export function ReviewKeys({ id, decided }: { id: string; decided: boolean }) {
  const [help, setHelp] = useState(false);
  const go = (to: string | undefined) => to !== undefined && location.assign(to);
  const ways = () => waysOf(knownQueue(), id);
  const toDecision = () => {
    const part = document.querySelector('.decide, .outcome');
    const first = CONTROLS.map((each) => part?.querySelector<HTMLElement>(each)).find(Boolean);
    first?.focus();
    part?.scrollIntoView({ block: 'nearest' });
  };
  const to = (which: 'before' | 'after' | 'open') => () => {
    const other = ways().place?.[which];
    go(other ? addressOf(other) : undefined);
  };
  useKeys({
    // After a decision the next request is the next open one.
    j: to(decided ? 'open' : 'after'),
    k: to('before'),
    n: to('open'),
    u: () => go(ways().back),
    d: toDecision,
    '?': () => setHelp(true),
  });
  return help ? (
    <KeyList title={review.keysTitle} keys={review.keys} onClose={() => setHelp(false)} />
  ) : null;
}

const TITLE = 80;

/** Tabs of a browser can be told apart. Characters that could hide or turn something are spelt out, as on the page. */
export function useTitle(summary: string | undefined): void {
  useEffect(() => {
    if (summary === undefined) return;
    const words = piecesOf(summary.slice(0, TITLE)).map((piece) =>
      piece.kind === 'text' ? piece.text : piece.label,
    );
    document.title = `${words.join('')} · Countersign`;
  }, [summary]);
}
