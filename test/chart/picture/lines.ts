import type { Series } from './answers.js';
import { seriesColour } from './colours.js';
import type { FieldDefaults, Panel, Window } from './dashboard.js';
import { escaped } from './html.js';
import { ticksTo, written } from './units.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The lines below a plot, and the room above it. */
const LEGEND_LINE = 19;
const LEGEND_LETTER = 6.1;
const LEGEND_MARK = 30;
/** Room for values at the left, and for times below. */
const AXIS = { left: 64, bottom: 22, top: 6, right: 10 };

/** A line of a stack stands on the one before it. */
type Stacked = readonly [at: number, bottom: number, top: number];

/** Lines, areas or bars over time, with axes and a legend, in a box of that size. */
export function timeseries(
  panel: Panel,
  series: readonly Series[],
  window: Window,
  size: Size,
): string {
  if (series.length === 0) return '<div class="none">No data</div>';
  const { unit, custom } = panel.fieldConfig?.defaults as FieldDefaults;
  const colours = series.map(({ name }, index) => seriesColour(panel, name, index));
  const legend = legendLines(series, size.width) * LEGEND_LINE;
  const height = size.height - legend - 4;
  const stacked =
    custom?.stacking?.mode === 'normal'
      ? stack(series, window)
      : series.map(({ points }) => points.map(([at, value]): Stacked => [at, 0, value]));
  const ticks = ticksTo(unit, Math.max(0, ...stacked.flat().map(([, , top]) => top)));
  const most = ticks.at(-1) as number;
  const plot = {
    width: size.width - AXIS.left - AXIS.right,
    height: height - AXIS.top - AXIS.bottom,
  };
  const x = (at: number) =>
    AXIS.left + ((at - window.from) / (window.to - window.from)) * plot.width;
  const y = (value: number) => AXIS.top + plot.height * (1 - value / most);

  const grid = [
    ...ticks.map((tick) => {
      const { value, suffix } = written(unit, tick, undefined, most);
      return (
        `<line x1="${AXIS.left}" x2="${AXIS.left + plot.width}" y1="${px(y(tick))}" y2="${px(y(tick))}"/>` +
        `<text x="${AXIS.left - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${escaped(value + suffix)}</text>`
      );
    }),
    ...timesIn(window, plot.width).map(
      (at) =>
        `<line x1="${px(x(at))}" x2="${px(x(at))}" y1="${AXIS.top}" y2="${AXIS.top + plot.height}"/>` +
        `<text x="${px(x(at))}" y="${height - 5}" text-anchor="middle">${clock(at)}</text>`,
    ),
  ];
  // The last one is drawn first, so that the first lies above all.
  const drawn = stacked
    .map((points, index) => {
      const colour = colours[index] as string;
      const opacity = (custom?.fillOpacity ?? 0) / 100;
      if (custom?.drawStyle === 'bars') {
        const width = Math.max(1, (window.step / (window.to - window.from)) * plot.width - 0.6);
        return points
          .map(
            ([at, bottom, top]) =>
              `<rect x="${px(x(at) - width / 2)}" y="${px(y(top))}" width="${px(width)}" ` +
              `height="${px(y(bottom) - y(top))}" fill="${colour}" fill-opacity="${opacity}"/>`,
          )
          .join('');
      }
      return unbroken(points, window.step)
        .map((part) => {
          const upper = part.map(([at, , top]) => `${px(x(at))},${px(y(top))}`);
          const lower = part.map(([at, bottom]) => `${px(x(at))},${px(y(bottom))}`).reverse();
          // A point alone would be no line.
          if (part.length === 1)
            upper.push(`${px(x((part[0] as Stacked)[0]) + 1.5)},${upper[0]?.split(',')[1]}`);
          return (
            `<path d="M${[...upper, ...lower].join('L')}Z" fill="${colour}" fill-opacity="${opacity}"/>` +
            `<path d="M${upper.join('L')}" fill="none" stroke="${colour}" stroke-width="${(custom?.lineWidth ?? 1) * 1.25}" stroke-linejoin="round"/>`
          );
        })
        .join('');
    })
    .reverse();
  const names = series.map(
    ({ name }, index) =>
      `<span><i style="background:${colours[index] as string}"></i>${escaped(name)}</span>`,
  );
  return (
    `<svg width="${size.width}" height="${height}"><g class="grid">${grid.join('')}</g>${drawn.join('')}</svg>` +
    `<div class="legend" style="height:${legend}px">${names.join('')}</div>`
  );
}

const px = (value: number): string => value.toFixed(1);

/** Each series on top of those before it; where one has nothing it is as high as nothing. */
function stack(series: readonly Series[], { from, step }: Window): Stacked[][] {
  const reached = new Map<number, number>();
  return series.map(({ points }) =>
    points.map(([at, value]): Stacked => {
      const slot = Math.round((at - from) / step);
      const bottom = reached.get(slot) ?? 0;
      reached.set(slot, bottom + value);
      return [at, bottom, bottom + value];
    }),
  );
}

/** Parts without a hole: where a step has no point the line ends. */
function unbroken(points: readonly Stacked[], step: number): Stacked[][] {
  const parts: Stacked[][] = [];
  for (const point of points) {
    const last = parts.at(-1)?.at(-1);
    if (last === undefined || point[0] - last[0] > step * 1.5) parts.push([point]);
    else parts.at(-1)?.push(point);
  }
  return parts;
}

/** How many lines its names take, as the page will break them. */
function legendLines(series: readonly Series[], width: number): number {
  let lines = 1;
  let used = 0;
  for (const { name } of series) {
    const wide = name.length * LEGEND_LETTER + LEGEND_MARK;
    if (used > 0 && used + wide > width) {
      lines += 1;
      used = 0;
    }
    used += wide;
  }
  return lines;
}

/** Round times within the window, as far apart as their text needs. */
function timesIn({ from, to }: Window, width: number): number[] {
  const most = width / 90;
  const step =
    [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].find(
      (each) => (to - from) / each <= most,
    ) ?? 7200;
  const times: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) times.push(at);
  // The text of one at an edge would be cut.
  const edge = ((to - from) * 30) / width;
  return times.filter((at) => at - from >= edge && to - at >= edge);
}

function clock(at: number): string {
  return new Date(at * 1000).toISOString().slice(11, 19);
}
