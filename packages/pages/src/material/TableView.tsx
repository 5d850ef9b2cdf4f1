import { useEffect, useRef, useState } from 'preact/hooks';

import { review } from '../strings/review.js';
import { Pieces } from '../text/SafeText.js';
import type { MaterialStore } from './material.js';
import { SearchBar } from './SearchBar.js';
import './table.css';
import type { Cell, Column, TableHead, TableOrder, TablePage } from './tables.js';
import { VirtualRows } from './VirtualRows.js';

const ROW = 30;
/** Of a column, in characters. */
const WIDTHS = { least: 4, most: 160, step: 4 } as const;
const NONE: TablePage = { rows: [], length: 0, sums: [] };

/** Rows of like objects of the payload as a table: sorted, searched and added up where they are. */
export function TableView(props: {
  readonly store: MaterialStore;
  readonly number: number;
  readonly head: TableHead;
}) {
  const { store, number, head } = props;
  const [order, setOrder] = useState<TableOrder | null>(null);
  const [text, setText] = useState('');
  /** Of the columns that the reader has changed, in characters. */
  const [widths, setWidths] = useState<ReadonlyMap<number, number>>(new Map());
  const [shown, setShown] = useState<{ from: number; page: TablePage }>({ from: 0, page: NONE });
  const view = useRef({ from: 0, count: 60 });
  const turn = useRef(0);

  const fill = async () => {
    const mine = (turn.current += 1);
    const { from, count } = view.current;
    const page = await store.ask('tableRows', { table: number, from, count, text, order });
    if (turn.current === mine) setShown({ from, page });
  };
  useEffect(() => void fill(), [store, number, order, text]);

  const digits = Math.max(4, String(head.rows).length);
  const widthOf = (at: number) => widths.get(at) ?? (head.columns[at]?.width ?? 0) + 2;
  const setWidth = (at: number, width: number | null) => {
    const next = new Map(widths);
    if (width === null) next.delete(at);
    else next.set(at, Math.max(WIDTHS.least, Math.min(WIDTHS.most, width)));
    setWidths(next);
  };
  const grid = {
    gridTemplateColumns: `${digits + 3}ch ${head.columns.map((_column, at) => `${widthOf(at)}ch`).join(' ')}`,
  };
  const { page, from } = shown;
  return (
    <>
      <SearchBar
        label={review.searchTable}
        search={async (wanted) => {
          setText(wanted);
          const { length } = await store.ask('tableRows', {
            table: number,
            from: 0,
            count: 1,
            text: wanted,
            order,
          });
          return { matches: length };
        }}
        reveal={null}
      />
      <VirtualRows
        length={page.length}
        rowHeight={ROW}
        rowsShown={14}
        label={review.tableNamed(head.path.join(' › '))}
        from={from}
        goTo={null}
        onWindow={(first, count) => {
          view.current = { from: first, count };
          void fill();
        }}
        box={{
          role: 'table',
          'aria-rowcount': page.length + 1,
          'aria-colcount': head.columns.length + 1,
        }}
        head={
          <div class="table-row table-head" role="row" style={grid}>
            <span role="columnheader" class="table-place">
              {review.rowNumber}
            </span>
            {head.columns.map((column, at) => (
              <Title
                key={column.name}
                column={column}
                order={order?.column === at ? order : null}
                onSort={() => setOrder(next(order, at))}
                width={widthOf(at)}
                onWidth={(width) => setWidth(at, width)}
              />
            ))}
          </div>
        }
        foot={
          page.sums.some((sum) => sum !== null) && (
            <div class="table-row table-foot" role="row" style={grid}>
              <span role="rowheader" class="table-place">
                {review.sum}
              </span>
              {page.sums.map((sum, at) => (
                <span key={at} role="cell" class="table-cell numeric">
                  {sum}
                </span>
              ))}
            </div>
          )
        }
      >
        {page.rows.map(({ place, cells }, at) => (
          <div key={place} class="table-row" role="row" aria-rowindex={from + at + 2} style={grid}>
            <span role="rowheader" class="table-place">
              {place}
            </span>
            {cells.map((cell, column) => (
              <CellView key={column} cell={cell} />
            ))}
          </div>
        ))}
      </VirtualRows>
    </>
  );
}

/** Up, down, and as in the payload. */
function next(order: TableOrder | null, column: number): TableOrder | null {
  if (order?.column !== column) return { column, down: false };
  return order.down ? null : { column, down: true };
}

function Title(props: {
  readonly column: Column;
  readonly order: TableOrder | null;
  readonly onSort: () => void;
  readonly width: number;
  /** Null for the usual width. */
  readonly onWidth: (width: number | null) => void;
}) {
  const { column, order, onSort, width, onWidth } = props;
  const own = useRef<HTMLSpanElement>(null);
  // Where the pointer took the edge, and the pixels of a character.
  const taken = useRef<{ x: number; width: number; character: number } | null>(null);
  return (
    <span
      ref={own}
      role="columnheader"
      aria-sort={order === null ? 'none' : order.down ? 'descending' : 'ascending'}
      class={column.numeric ? 'table-cell numeric' : 'table-cell'}
    >
      <button
        type="button"
        class="table-sort"
        title={review.columnKeys}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
        onClick={onSort}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -WIDTHS.step, ArrowRight: WIDTHS.step }[event.key];
          if (by === undefined || !event.shiftKey) return;
          event.preventDefault();
          onWidth(width + by);
        }}
      >
        <bdi>
          <Pieces text={column.name.slice(0, 80)} />
        </bdi>
        <span aria-hidden="true">{order === null ? '' : order.down ? ' ▾' : ' ▴'}</span>
      </button>
      <span
        class="table-edge"
        aria-hidden="true"
        onPointerDown={(event) => {
          if (event.button !== 0 || !own.current) return;
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          const character = own.current.offsetWidth / width;
          taken.current = { x: event.clientX, width, character };
        }}
        onPointerMove={(event) => {
          const from = taken.current;
          if (!from || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
          onWidth(Math.round(from.width + (event.clientX - from.x) / from.character));
        }}
        onDblClick={() => onWidth(null)}
      />
    </span>
  );
}

function CellView({ cell: { text, hidden, numeric } }: { cell: Cell }) {
  return (
    <span
      role="cell"
      class={numeric ? 'table-cell numeric' : 'table-cell'}
      title={hidden > 0 ? review.moreCharacters(hidden) : undefined}
    >
      <bdi>
        <Pieces text={text} />
      </bdi>
      {hidden > 0 && <span class="tree-size"> {review.moreCharacters(hidden)}</span>}
    </span>
  );
}
