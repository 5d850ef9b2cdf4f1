import type { Series } from './answers.js';
import { thresholdColour } from './colours.js';
import type { FieldDefaults, Panel } from './dashboard.js';
import { escaped } from './html.js';
import { written } from './units.js';

/** One number, large; with thresholds the whole tile says by its colour how that is. */
export function stat(panel: Panel, series: readonly Series[]): string {
  const defaults = panel.fieldConfig?.defaults as FieldDefaults;
  const value = latest(series[0]);
  if (value === null) return '<div class="none">No data</div>';
  const { value: text, suffix } = written(defaults.unit, value, defaults.decimals);
  const colour = thresholdColour(defaults, value);
  const style =
    panel.options?.['colorMode'] === 'background'
      ? `background:color-mix(in srgb,${colour} 78%,black);color:#fff`
      : `color:${colour}`;
  return `<div class="stat" style="${style}"><span>${escaped(text)}<small>${escaped(suffix)}</small></span></div>`;
}

/** A bar for each series, the longest one as long as there is room. */
export function barGauge(panel: Panel, series: readonly Series[]): string {
  const defaults = panel.fieldConfig?.defaults as FieldDefaults;
  if (series.length === 0) return '<div class="none">No data</div>';
  const values = series.map((each) => latest(each) ?? 0);
  const most = Math.max(...values);
  const bars = series.map(({ name }, index) => {
    const value = values[index] as number;
    const colour = thresholdColour(defaults, value);
    const { value: text, suffix } = written(defaults.unit, value, defaults.decimals);
    const long = most > 0 ? (100 * value) / most : 0;
    return (
      `<div class="bar"><b>${escaped(name)}</b><i><u style="width:${long.toFixed(1)}%;border-color:${colour};` +
      `background:color-mix(in srgb,${colour} 35%,transparent)"></u></i>` +
      `<em style="color:${colour}">${escaped(text + suffix)}</em></div>`
    );
  });
  return `<div class="bars">${bars.join('')}</div>`;
}

/** `lastNotNull`, the one reduction that the dashboard uses. */
function latest(series: Series | undefined): number | null {
  return series?.points.at(-1)?.[1] ?? null;
}
