/** Values as Grafana writes them, in the units of the dashboard: a number and its suffix. */
export interface Written {
  readonly value: string;
  readonly suffix: string;
}

interface Scale {
  /** From this size on; sizes ascend. */
  readonly from: number;
  readonly suffix: string;
}

const SECONDS: readonly Scale[] = [
  { from: 1e-6, suffix: ' µs' },
  { from: 1e-3, suffix: ' ms' },
  { from: 1, suffix: ' s' },
  { from: 60, suffix: ' min' },
  { from: 3600, suffix: ' h' },
  { from: 86_400, suffix: ' d' },
];
const BYTES = scalesOf(1024, [' B', ' KiB', ' MiB', ' GiB']);
const UNITS: Readonly<
  Record<string, { scales: readonly Scale[]; factor?: number; base?: number }>
> = {
  short: { scales: scalesOf(1000, ['', ' K', ' Mil']) },
  s: { scales: SECONDS },
  bytes: { scales: BYTES, base: 2 },
  percentunit: { scales: [{ from: 1, suffix: '%' }], factor: 100 },
  ops: { scales: scalesOf(1000, [' ops/s', 'K ops/s']) },
  reqps: { scales: scalesOf(1000, [' req/s', 'K req/s']) },
};

function scalesOf(step: number, suffixes: readonly string[]): Scale[] {
  return suffixes.map((suffix, power) => ({ from: step ** power, suffix }));
}

function unitOf(unit: string) {
  const found = UNITS[unit];
  if (found === undefined) throw new Error(`nothing is known of the unit ${unit}`);
  return found;
}

/**
 * A value in its unit. `decimals` as the panel says, else as many as three digits need. On an axis all values share the
 * scale of the largest one, `like`.
 */
export function written(unit: string, value: number, decimals?: number, like = value): Written {
  const { scales, factor = 1 } = unitOf(unit);
  const size = Math.abs(like * factor);
  const scale = scales.filter(({ from }) => size >= from).at(-1) ?? lowest(unit, size);
  const scaled = (value * factor) / scale.from;
  const places = decimals ?? Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, Math.abs(scaled)))));
  const text = scaled.toFixed(places);
  return {
    value: decimals === undefined && text.includes('.') ? text.replace(/\.?0+$/, '') : text,
    suffix: scale.suffix,
  };
}

/** Zero is written as 0 s, not as 0 µs; values smaller than the first scale in that one. */
function lowest(unit: string, size: number): Scale {
  const { scales } = unitOf(unit);
  const plain = scales.find(({ from }) => from === 1);
  return (size === 0 || unit !== 's' ? plain : scales[0]) as Scale;
}

/** Round values from 0 to the first one that is not below `most`, about `many` of them. */
export function ticksTo(unit: string, most: number, many = 4): number[] {
  const { factor = 1, base = 10 } = unitOf(unit);
  const top = most > 0 ? most * factor : 1;
  const step = base === 2 ? 2 ** Math.ceil(Math.log2(top / many)) : decimalStep(top / many);
  const count = Math.max(1, Math.ceil(top / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => (index * step) / factor);
}

function decimalStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 2.5, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return digit * power;
}
