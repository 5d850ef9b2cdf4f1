import { legendOf, resolved } from './dashboard.js';
import type { Dashboard, Panel, Window } from './dashboard.js';
import type { Prometheus } from './prometheus.js';

/** A line of a panel, or its number when that is of now. */
export interface Series {
  readonly name: string;
  /** Epoch seconds and values; a value that is no number is left out, which makes a gap. */
  readonly points: readonly (readonly [number, number])[];
}

/** The answers to a panel's targets, in their order. */
export type Answers = ReadonlyMap<Panel, readonly Series[]>;

/**
 * Asks everything that the dashboard asks. Throws an error that names each panel, with Prometheus' own words where it
 * refuses an expression, or with the expression that has no data.
 *
 * @param mayBeEmpty titles and targets, such as `Incidents A`, that may have no data
 */
export async function askAll(
  dashboard: Dashboard,
  prometheus: Pick<Prometheus, 'at' | 'over'>,
  window: Window,
  mayBeEmpty: readonly string[] = [],
): Promise<Answers> {
  const answers = new Map<Panel, Series[]>();
  const faults: string[] = [];
  for (const panel of dashboard.panels) {
    const series: Series[] = [];
    for (const { refId, expr, legendFormat, instant } of panel.targets ?? []) {
      const name = `${panel.title} ${refId}`;
      try {
        const asked = resolved(expr, dashboard.templating.list, window);
        const samples = instant
          ? await prometheus.at(asked, window.to)
          : await prometheus.over(asked, window);
        const found = samples
          .map(({ labels, points }) => ({
            name: legendOf(legendFormat, labels),
            points: points.filter(([, value]) => Number.isFinite(value)),
          }))
          .filter(({ points }) => points.length > 0);
        if (found.length === 0 && !mayBeEmpty.includes(name)) throw new Error(`no data: ${asked}`);
        series.push(...found);
      } catch (error) {
        faults.push(`${name}: ${(error as Error).message}`);
      }
    }
    answers.set(panel, series);
  }
  if (faults.length > 0) throw new Error(`panels without an answer:\n${faults.join('\n')}`);
  return answers;
}
