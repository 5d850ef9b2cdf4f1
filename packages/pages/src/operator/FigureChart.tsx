import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { operator } from '../strings/operator.js';
import { colourOf, onColours } from '../theme/choice.js';

export interface Series {
  readonly name: string;
  /** A variable of theme.css. */
  readonly colour: string;
  /** Null where there is nothing to measure: the line has a gap. */
  readonly values: readonly (number | null)[];
}

const HEIGHT = 200;
/** All figures are whole: numbers of requests, and seconds. */
const STEPS = [...Array(10).keys()].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));

/** Lines over time with axes. The arrow keys and the pointer move over the buckets, whose figures stand below. */
export function FigureChart(props: {
  readonly title: string;
  /** Beginnings of the buckets, epoch seconds. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  readonly unit: (value: number) => string;
}) {
  const { title, at, series, unit } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const [redrawn, setRedrawn] = useState(0);

  useEffect(() => onColours(() => setRedrawn((before) => before + 1)), []);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const colour = (token: string) => colourOf(element, token);
    const axis = {
      stroke: colour('--ink-soft'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { stroke: colour('--line'), width: 1 },
      font: `12px ${getComputedStyle(element).fontFamily}`,
    };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { setScale: false } },
        scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
        axes: [
          axis,
          { ...axis, size: 72, incrs: STEPS, values: (_plot, ticks) => ticks.map(unit) },
        ],
        series: [
          {},
          ...series.map(({ name, colour: of }) => ({
            label: name,
            stroke: colour(of),
            width: 2,
            points: { size: 5 },
          })),
        ],
        hooks: { setCursor: [({ cursor }) => setChosen(cursor.idx ?? null)] },
      },
      [[...at], ...series.map(({ values }) => [...values])],
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [at, redrawn]);

  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(at.length - 1, (chosen ?? (by > 0 ? -1 : at.length)) + by));
    setChosen(next);
    const left = plot.current?.valToPos(at[next] ?? 0, 'x') ?? 0;
    plot.current?.setCursor({ left, top: 0 }, false);
  };
  const shown = chosen ?? at.length - 1;
  return (
    <figure class="figure-chart">
      <figcaption>{title}</figcaption>
      <div
        ref={place}
        class="figure-plot"
        role="img"
        tabIndex={0}
        aria-label={operator.chartKeys(title)}
        onKeyDown={onKey}
      />
      <p class="figure-words" aria-live="polite">
        <span class="fine">{operator.periodFrom(new Date((at[shown] ?? 0) * 1000))}</span>
        {series.map(({ name, values, colour }) => {
          const value = values[shown] ?? null;
          return (
            <span key={name} class="figure-value">
              <span class="figure-colour" aria-hidden="true" data-colour={colour} />
              {name} <strong>{value === null ? operator.nothing : unit(value)}</strong>
            </span>
          );
        })}
      </p>
    </figure>
  );
}
