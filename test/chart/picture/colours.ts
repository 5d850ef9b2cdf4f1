import type { FieldDefaults, Panel } from './dashboard.js';

/** The names that the dashboard calls colours by, as Grafana's dark theme shows them. */
const NAMED: Readonly<Record<string, string>> = {
  green: '#73BF69',
  'dark-green': '#37872D',
  yellow: '#FADE2A',
  orange: '#FF9830',
  red: '#F2495C',
  blue: '#5794F2',
  'light-blue': '#8AB8FF',
  purple: '#B877D9',
  text: '#CCCCDC',
};

/** Lines without a colour of their own take them in this order. */
const PALETTE = [
  '#73BF69',
  '#F2CC0C',
  '#8AB8FF',
  '#FF780A',
  '#F2495C',
  '#5794F2',
  '#B877D9',
  '#705DA0',
  '#37872D',
  '#FADE2A',
  '#447EBC',
  '#C15C17',
  '#CA95E5',
  '#DEB6F2',
] as const;

function named(name: string): string {
  const found = NAMED[name];
  if (found === undefined) throw new Error(`nothing is known of the colour ${name}`);
  return found;
}

/** Of a value by its thresholds: the colour of the last step that it reaches. */
export function thresholdColour({ thresholds }: FieldDefaults, value: number): string {
  if (thresholds?.mode !== 'absolute') throw new Error('thresholds must be absolute');
  const reached = thresholds.steps.filter((step) => step.value === null || value >= step.value);
  return named(reached.at(-1)?.color ?? 'text');
}

/** The colour of a series: that of an override (the last one that names it), else the next of the palette. */
export function seriesColour(panel: Panel, name: string, index: number): string {
  const given = (panel.fieldConfig?.overrides ?? [])
    .filter(({ matcher }) => {
      if (matcher.id !== 'byRegexp') throw new Error(`nothing is known of ${matcher.id}`);
      return new RegExp(matcher.options).test(name);
    })
    .flatMap(({ properties }) => properties.filter(({ id }) => id === 'color'))
    .at(-1);
  return given === undefined
    ? (PALETTE[index % PALETTE.length] as string)
    : named(given.value.fixedColor);
}
