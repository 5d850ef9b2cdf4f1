import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualRowsProps {
  readonly length: number;
  /** Height of every row in pixels. */
  readonly rowHeight: number;
  /** Most rows to be seen at once; the box is smaller when there are fewer. */
  readonly rowsShown: number;
  readonly label: string;
  /** Tells which rows are to be seen. */
  readonly onWindow: (from: number, count: number) => void;
  /** Brings a row into view, whenever it is another object. */
  readonly goTo: { readonly place: number } | null;
  readonly children: ComponentChildren;
  /** The place of the first row among the children. */
  readonly from: number;
  /** Stay above and below the rows, and scroll sideways with them. */
  readonly head?: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly box?: Readonly<Record<string, unknown>>;
}

/** A browser draws no taller element than some 30 million pixels: longer lists are scrolled at scale. */
const TALLEST = 8_000_000;
const SPARE = 12;

/** A list of any length of which only the rows in view exist. */
export function VirtualRows(props: VirtualRowsProps) {
  const { length, rowHeight, rowsShown, onWindow, goTo } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  // Where the rows asked for last belong, when the true place is beyond the scale.
  const anchor = useRef({ from: 0, top: 0 });
  const whole = length * rowHeight;
  const height = Math.min(whole, TALLEST);
  const seen = Math.min(length, rowsShown) * rowHeight;

  useLayoutEffect(() => {
    setScale(whole > TALLEST ? (whole - seen) / (TALLEST - seen) : 1);
  }, [whole, seen]);

  const look = () => {
    const element = box.current;
    if (!element) return;
    const first = Math.floor((element.scrollTop * scale) / rowHeight);
    const from = Math.max(0, Math.min(first, length - rowsShown) - SPARE);
    anchor.current = { from, top: element.scrollTop - (first - from) * rowHeight };
    onWindow(from, Math.ceil(element.clientHeight / rowHeight) + 2 * SPARE);
  };
  useEffect(look, [length, scale]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !goTo) return;
    const top = (goTo.place * rowHeight) / scale;
    const { scrollTop, clientHeight } = element;
    const inView = top >= scrollTop && top + rowHeight <= scrollTop + clientHeight;
    if (!inView) element.scrollTop = Math.max(0, top - clientHeight / 3);
    look();
  }, [goTo]);

  const beside = [props.head, props.foot].filter(Boolean).length;
  const kept = anchor.current;
  const top = scale === 1 || kept.from !== props.from ? (props.from * rowHeight) / scale : kept.top;
  return (
    <div
      ref={box}
      class="rows"
      tabIndex={0}
      aria-label={props.label}
      onScroll={look}
      // No fixed height: a bar for scrolling sideways comes on top of the rows and covers none.
      style={{ maxHeight: `${(rowsShown + beside) * rowHeight}px` }}
      {...props.box}
    >
      {props.head}
      <div class="rows-all" style={{ height: `${height}px` }}>
        <div class="rows-shown" style={{ transform: `translateY(${top}px)` }}>
          {props.children}
        </div>
      </div>
      {props.foot}
    </div>
  );
}
