import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHART } from '../tools.js';

/** As much of Grafana's dashboard model as ours uses. */
export interface Dashboard {
  readonly title: string;
  readonly refresh: string;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly allValue?: string;
  readonly current?: { readonly text: string; readonly value: string };
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly PanelTarget[];
  readonly fieldConfig?: {
    readonly defaults: FieldDefaults;
    readonly overrides: readonly Override[];
  };
  readonly options?: Readonly<Record<string, any>>;
}

export interface PanelTarget {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly instant?: boolean;
}

export interface Step {
  readonly value: number | null;
  readonly color: string;
}

export interface FieldDefaults {
  readonly unit: string;
  readonly decimals?: number;
  readonly min?: number;
  readonly color?: { readonly mode: string };
  readonly thresholds?: { readonly mode: string; readonly steps: readonly Step[] };
  readonly custom?: {
    readonly drawStyle: string;
    readonly lineWidth: number;
    readonly fillOpacity: number;
    readonly stacking?: { readonly mode: string };
  };
}

interface Override {
  readonly matcher: { readonly id: string; readonly options: string };
  readonly properties: readonly {
    readonly id: string;
    readonly value: { readonly mode: string; readonly fixedColor: string };
  }[];
}

/** The file that the chart ships, not its source. */
export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(join(CHART, 'files', 'dashboard.json'), 'utf8')) as Dashboard;
}

/** The time range: epoch seconds, and the distance of points. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  /** How often Prometheus scrapes, in seconds, as Grafana's data source would be told. */
  readonly scrape: number;
}

/**
 * An expression as Grafana sends it: pickers at the dashboard's initial values, intervals of the window. Throws for an
 * unknown variable.
 */
export function resolved(expr: string, variables: readonly Variable[], window: Window): string {
  const { from, to, step, scrape } = window;
  const known: Record<string, string> = {
    __interval: `${step}s`,
    // Grafana's own rule: never fewer than four scrapes, or a rate would have holes.
    __rate_interval: `${Math.max(step + scrape, 4 * scrape)}s`,
    __range: `${Math.ceil(to - from)}s`,
  };
  for (const { name, type, allValue, current } of variables) {
    if (type === 'datasource') continue;
    known[name] = current?.value === '$__all' ? (allValue ?? '.*') : (current?.value ?? '');
  }
  return expr.replace(/\$\{?(\w+)\}?/g, (whole, name: string) => {
    const value = known[name];
    if (value === undefined) throw new Error(`nothing is known of ${whole}`);
    return value;
  });
}

/** The name of a series: labels in the place of `{{label}}`. */
export function legendOf(format: string, labels: Readonly<Record<string, string>>): string {
  return format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_whole, label: string) => labels[label] ?? '');
}
