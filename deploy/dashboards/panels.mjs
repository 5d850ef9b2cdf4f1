// Panels of a Grafana dashboard: the common properties of each kind.

export const source = { type: 'prometheus', uid: '${source}' };
/** Limited to the choices of the pickers on top. */
export const of = (labels = '') => `{namespace=~"$namespace"${labels && `,${labels}`}}`;

let id = 0;
/** Each panel has a number of its own, in the order in which they are made. */
export const nextId = () => ++id;
const panel = (type, title, description, queries, more = {}) => ({
  id: nextId(),
  type,
  title,
  description,
  datasource: source,
  targets: queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    expr,
    legendFormat,
    datasource: source,
    // A number is of now: out of a range it would be the last reported one, for hours after all reports have ended.
    ...(type === 'timeseries' ? { range: true } : { instant: true }),
  })),
  ...more,
});

const steps = (thresholds) => thresholds.map(([value, color]) => ({ value, color }));
/** Without thresholds Grafana colours values from 80 on red; panels that call for no action have one colour. */
const NEUTRAL = [[null, 'text']];
export const good = (warn, bad) => [
  [null, 'green'],
  [warn, 'orange'],
  [bad, 'red'],
];

const LINE = { drawStyle: 'line', lineWidth: 1, fillOpacity: 0, showPoints: 'never' };
/** For metrics whose mere presence matters. */
export const AREA = { ...LINE, fillOpacity: 15 };
const STACK = { lineWidth: 1, showPoints: 'never', stacking: { mode: 'normal', group: 'A' } };
/** Lines for a filled stack: short peaks are seen by their height, not their slope. */
export const STACKED_AREA = { ...STACK, drawStyle: 'line', fillOpacity: 45 };
export const STACKED_BARS = { ...STACK, drawStyle: 'bars', fillOpacity: 80 };

/** Lines over time; `queries` as [expression, legend], `as` the unit, `colours` as [pattern of names, colour]. */
export const line = (
  title,
  description,
  queries,
  as = 'short',
  { custom = LINE, colours = [] } = {},
) =>
  panel('timeseries', title, description, queries, {
    fieldConfig: {
      defaults: { unit: as, min: 0, color: { mode: 'palette-classic' }, custom },
      overrides: colours.map(([names, fixedColor]) => ({
        matcher: { id: 'byRegexp', options: names },
        properties: [{ id: 'color', value: { mode: 'fixed', fixedColor } }],
      })),
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  });
/** One number of now, on a background by its thresholds. */
export const number = (title, description, expr, as, thresholds = NEUTRAL) =>
  panel('stat', title, description, [[expr, '']], {
    fieldConfig: {
      defaults: {
        unit: as,
        color: { mode: 'thresholds' },
        thresholds: { mode: 'absolute', steps: steps(thresholds) },
      },
      overrides: [],
    },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], values: false, fields: '' },
      colorMode: thresholds === NEUTRAL ? 'value' : 'background',
      graphMode: 'none',
      textMode: 'value',
    },
  });
/** A bar for each series, now. */
export const bars = (title, description, expr, legend, as, thresholds) =>
  panel('bargauge', title, description, [[expr, legend]], {
    fieldConfig: {
      defaults: {
        unit: as,
        min: 0,
        color: { mode: 'thresholds' },
        thresholds: { mode: 'absolute', steps: steps(thresholds) },
      },
      overrides: [],
    },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], values: false, fields: '' },
      orientation: 'horizontal',
      displayMode: 'basic',
    },
  });
