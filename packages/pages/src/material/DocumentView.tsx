import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { Pieces } from '../text/SafeText.js';
import { review } from '../strings/review.js';
import type { TextRow } from './lines.js';
import type { MaterialStore } from './material.js';
import { SearchBar } from './SearchBar.js';
import { VirtualRows } from './VirtualRows.js';

const ROW = 24;

/** The exact text of the document: whole when it is short, else row by row out of the worker. */
export function DocumentView({ store, text }: { store: MaterialStore; text: string | null }) {
  return text === null ? <LongDocument store={store} /> : <ShortDocument text={text} />;
}

function ShortDocument({ text }: { text: string }) {
  return (
    <div class="document" tabIndex={0} role="region" aria-label={review.documentText}>
      {text.split('\n').map((line, at) => (
        <div key={at} class="document-line">
          <bdi>
            <Pieces text={line} />
            {'\n'}
          </bdi>
        </div>
      ))}
    </div>
  );
}

function LongDocument({ store }: { store: MaterialStore }) {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ length: number; lines: number } | null>(null);
  const [shown, setShown] = useState<{ from: number; rows: readonly TextRow[] }>({
    from: 0,
    rows: [],
  });
  const [goTo, setGoTo] = useState<{ place: number } | null>(null);
  const columns = useRef(0);
  const turn = useRef(0);

  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    let busy = false;
    // While a line beside it is moved, every width asks for another wrapping: one at a time.
    const wrap = () => {
      const wide = columnsOf(element);
      if (busy || !element.isConnected || wide === columns.current) return;
      columns.current = wide;
      busy = true;
      void store.ask('wrap', { columns: wide }).then((found) => {
        setSize(found);
        busy = false;
        wrap();
      });
    };
    wrap();
    const watch = new ResizeObserver(wrap);
    watch.observe(element);
    return () => watch.disconnect();
  }, [store]);

  const show = async (from: number, count: number) => {
    const mine = (turn.current += 1);
    const { rows } = await store.ask('text', { from, count });
    if (turn.current === mine) setShown({ from, rows });
  };
  useEffect(() => {
    if (size) void show(0, 60);
  }, [size]);

  return (
    <>
      <SearchBar
        label={review.searchDocument}
        search={(wanted) => store.ask('searchText', { text: wanted })}
        reveal={async (match) => setGoTo(await store.ask('revealText', { match }))}
      />
      <div ref={place} class="document-long">
        {size && (
          <VirtualRows
            length={size.length}
            rowHeight={ROW}
            rowsShown={24}
            label={review.documentText}
            from={shown.from}
            goTo={goTo}
            onWindow={(from, count) => void show(from, count)}
            box={{ role: 'region' }}
          >
            {shown.rows.map(({ line, begins, text }, at) => (
              <div
                key={shown.from + at}
                class={goTo?.place === shown.from + at ? 'text-row found' : 'text-row'}
              >
                <span
                  class="text-number"
                  aria-hidden="true"
                  data-number={begins ? line + 1 : '↪'}
                />
                <bdi>
                  <Pieces text={text} />
                </bdi>
              </div>
            ))}
          </VirtualRows>
        )}
      </div>
    </>
  );
}

/** How many characters of the fixed-width font fit beside the line numbers. */
function columnsOf(element: HTMLElement): number {
  const probe = document.createElement('span');
  probe.className = 'text-row text-probe';
  probe.textContent = '0'.repeat(50);
  element.append(probe);
  const wide = probe.getBoundingClientRect().width / 50;
  probe.remove();
  return Math.max(20, Math.floor(element.clientWidth / (wide || 8)) - 9);
}
