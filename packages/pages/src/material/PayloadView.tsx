import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { Pieces } from '../text/SafeText.js';
import { review } from '../strings/review.js';
import type { MaterialStore } from './material.js';
import { SearchBar } from './SearchBar.js';
import type { TreeRow } from './tree.js';
import { VirtualRows } from './VirtualRows.js';

const ROW = 28;

/** The payload as a tree that opens row by row, and can be searched as a whole. */
export function PayloadView({ store }: { store: MaterialStore }) {
  const [shown, setShown] = useState<{ from: number; rows: readonly TreeRow[] }>({
    from: 0,
    rows: [],
  });
  const [length, setLength] = useState(1);
  const [active, setActive] = useState(0);
  const [goTo, setGoTo] = useState<{ place: number } | null>(null);
  const view = useRef({ from: 0, count: 60 });
  const turn = useRef(0);
  const id = useId();

  const fill = async () => {
    const mine = (turn.current += 1);
    const { from, count } = view.current;
    const answer = await store.ask('tree', { from, count });
    if (turn.current !== mine) return;
    setLength(answer.length);
    setShown({ from, rows: answer.rows });
  };
  useEffect(() => void fill(), [store]);

  const toggle = async (row: TreeRow) => {
    const { length: all } = await store.ask('toggle', { id: row.id });
    setLength(all);
    await fill();
  };
  const move = (place: number) => {
    const to = Math.max(0, Math.min(length - 1, place));
    setActive(to);
    setGoTo({ place: to });
  };
  const reveal = async (match: number) => {
    const { place, length: all } = await store.ask('revealTree', { match });
    setLength(all);
    setActive(place);
    setGoTo({ place });
    await fill();
  };

  const onKey = (event: KeyboardEvent) => {
    const row = shown.rows[active - shown.from];
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(active + 1),
      ArrowUp: () => move(active - 1),
      PageDown: () => move(active + 12),
      PageUp: () => move(active - 12),
      Home: () => move(0),
      End: () => move(length - 1),
      ArrowRight: () => {
        if (row?.open === false) void toggle(row);
        else if (row?.open === true) move(active + 1);
      },
      ArrowLeft: () => {
        if (row?.open === true) void toggle(row);
        else if (row) {
          const above = shown.rows.findLastIndex(
            ({ depth }, at) => at < active - shown.from && depth < row.depth,
          );
          if (above >= 0) move(shown.from + above);
        }
      },
      Enter: () => {
        if (row && row.open !== null) void toggle(row);
      },
    };
    const act = steps[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };

  const current = shown.rows[active - shown.from];
  return (
    <>
      <SearchBar
        label={review.searchPayload}
        search={(text) => store.ask('searchTree', { text })}
        reveal={reveal}
      />
      <VirtualRows
        length={length}
        rowHeight={ROW}
        rowsShown={16}
        label={review.payload}
        from={shown.from}
        goTo={goTo}
        onWindow={(from, count) => {
          view.current = { from, count };
          void fill();
        }}
        box={{
          role: 'tree',
          onKeyDown: onKey,
          'aria-activedescendant': current ? `${id}-${current.id}` : undefined,
        }}
      >
        {shown.rows.map((row, at) => (
          <Row
            key={row.id}
            id={`${id}-${row.id}`}
            row={row}
            active={shown.from + at === active}
            onPress={() => {
              setActive(shown.from + at);
              if (row.open !== null) void toggle(row);
            }}
          />
        ))}
      </VirtualRows>
    </>
  );
}

function Row(props: { id: string; row: TreeRow; active: boolean; onPress: () => void }) {
  const { id, row, active, onPress } = props;
  return (
    <div
      id={id}
      class={active ? 'tree-row active' : 'tree-row'}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={row.siblings}
      aria-posinset={row.position + 1}
      aria-expanded={row.open === null ? undefined : row.open}
      aria-selected={active}
      style={{ paddingInlineStart: `${0.5 + Math.min(row.depth, 20) * 1.1}rem` }}
      onClick={onPress}
    >
      <span class="tree-sign" aria-hidden="true">
        {row.open === null ? '' : row.open ? '▾' : '▸'}
      </span>
      {row.label !== null && (
        <bdi class="tree-label">
          <Pieces text={row.label.slice(0, 200)} />
          {row.label.length > 200 && '…'}
        </bdi>
      )}
      <Value row={row} />
    </div>
  );
}

function Value({ row }: { row: TreeRow }) {
  const { kind, preview, hidden, size } = row;
  if (kind === 'object' || kind === 'array') {
    return (
      <>
        <span class="tree-size">
          {kind === 'object' ? review.members(size) : review.items(size)}
        </span>
        {preview !== '' && (
          <bdi class="tree-size">
            <Pieces text={preview} />
          </bdi>
        )}
      </>
    );
  }
  if (kind === 'group') return <span class="tree-size">{review.group}</span>;
  return (
    <>
      <bdi class={`tree-value ${kind}`}>
        {kind === 'string' && '“'}
        <Pieces text={preview} />
        {kind === 'string' && hidden === 0 && '”'}
      </bdi>
      {hidden > 0 && <span class="tree-size">{review.moreCharacters(hidden)}</span>}
    </>
  );
}
