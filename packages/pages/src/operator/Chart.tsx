import { operator } from '../strings/operator.js';
import { shapeOf } from './chart.js';
import type { Reading } from './chart.js';
import { number } from '../text/locale.js';

const WIDTH = 240;
const HEIGHT = 56;

const figure = (value: number) =>
  number(value >= 100 ? Math.round(value) : Math.round(value * 10) / 10);

/** A small line over the readings, with a description in words. */
export function Chart({ title, readings }: { title: string; readings: readonly Reading[] }) {
  const last = readings.at(-1);
  const first = readings[0];
  if (first === undefined || last === undefined || readings.length < 2) {
    return (
      <figure class="chart">
        <figcaption>{title}</figcaption>
        <p class="fine">{operator.chartSoon}</p>
      </figure>
    );
  }
  const { line, area, least, most } = shapeOf(readings, WIDTH, HEIGHT);
  const words = operator.chartOf(
    title,
    figure(first.value),
    figure(last.value),
    figure(least),
    figure(most),
  );
  return (
    <figure class="chart">
      <figcaption>
        {title} <strong>{figure(last.value)}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={words}
      >
        <polygon points={area} />
        <polyline points={line} />
      </svg>
      <p class="fine chart-range" aria-hidden="true">
        <span>{figure(least)}</span> – <span>{figure(most)}</span>
      </p>
    </figure>
  );
}
