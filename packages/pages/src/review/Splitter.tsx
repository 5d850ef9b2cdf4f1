import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const LEAST = 18;
const MOST = 64;
const STEP = 2;

/**
 * A line between two columns, moved by a pointer or by arrow keys; a double click or Enter puts it back. It gives its parent the
 * width of one of them, in per cent of the parent, as the custom property `--<name>`, and keeps it in this browser.
 */
export function Splitter(props: {
  readonly name: 'rail' | 'pane';
  readonly label: string;
  /** The width until the reader chooses one. */
  readonly usual: number;
  /** The side of the parent from which the width counts. */
  readonly side: 'left' | 'right';
}) {
  const { name, label, usual, side } = props;
  const own = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(() => keptWidth(name));

  useLayoutEffect(() => {
    const columns = own.current?.parentElement;
    if (width === null) columns?.style.removeProperty(`--${name}`);
    else columns?.style.setProperty(`--${name}`, `${width}%`);
  }, [width]);

  const choose = (next: number | null) => {
    const bounded = next === null ? null : Math.max(LEAST, Math.min(MOST, next));
    setWidth(bounded);
    try {
      if (bounded === null) localStorage.removeItem(keyOf(name));
      else localStorage.setItem(keyOf(name), String(bounded));
    } catch {
      // Without storage it lasts as long as the page.
    }
  };
  const onPointer = (event: PointerEvent) => {
    const line = own.current;
    const columns = line?.parentElement?.getBoundingClientRect();
    if (!line?.hasPointerCapture(event.pointerId) || !columns) return;
    const from = side === 'left' ? event.clientX - columns.left : columns.right - event.clientX;
    choose((100 * (from - line.offsetWidth / 2)) / columns.width);
  };
  const onKey = (event: KeyboardEvent) => {
    const now = width ?? usual;
    const wider = side === 'left' ? 'ArrowRight' : 'ArrowLeft';
    const narrower = side === 'left' ? 'ArrowLeft' : 'ArrowRight';
    const next = new Map<string, number | null>([
      [wider, now + STEP],
      [narrower, now - STEP],
      ['Home', LEAST],
      ['End', MOST],
      ['Enter', null],
    ]).get(event.key);
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(next);
  };
  return (
    <div
      ref={own}
      class={`splitter ${name} no-print`}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={Math.round(width ?? usual)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        event.currentTarget.focus();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onPointer}
      onDblClick={() => choose(null)}
      onKeyDown={onKey}
    />
  );
}

const keyOf = (name: string) => `countersign.width.${name}`;

function keptWidth(name: string): number | null {
  const kept = Number(localStorage.getItem(keyOf(name)));
  return kept >= LEAST && kept <= MOST ? kept : null;
}
