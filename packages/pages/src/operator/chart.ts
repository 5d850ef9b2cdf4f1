/** One reading: when, epoch milliseconds, and how much. */
export interface Reading {
  readonly at: number;
  readonly value: number;
}

export interface Shape {
  /** Points of an SVG polyline in a box of `width` by `height`. */
  readonly line: string;
  /** The same, closed at the ground. */
  readonly area: string;
  readonly least: number;
  readonly most: number;
}

/** Lays readings out in a box; the ground is zero, and a flat line lies on it or in the middle. */
export function shapeOf(readings: readonly Reading[], width: number, height: number): Shape {
  const values = readings.map(({ value }) => value);
  const least = Math.min(...values);
  const most = Math.max(...values);
  const [first, last] = [readings[0]?.at ?? 0, readings.at(-1)?.at ?? 0];
  const span = Math.max(1, last - first);
  const room = Math.max(most, Number.MIN_VALUE) * 1.15;
  const round = (value: number) => Math.round(value * 10) / 10;
  const points = readings.map(
    ({ at, value }) =>
      `${round(((at - first) / span) * width)},${round(height - (most === 0 ? 0 : (value / room) * height))}`,
  );
  const line = points.join(' ');
  return { line, area: `0,${height} ${line} ${width},${height}`, least, most };
}

/** How much a counter grew a minute between readings; a counter that fell began anew. */
export function perMinute(counter: readonly Reading[]): Reading[] {
  return counter.slice(1).map(({ at, value }, place) => {
    const before = counter[place] as Reading;
    const grown = value < before.value ? value : value - before.value;
    return { at, value: (grown / Math.max(1, at - before.at)) * 60_000 };
  });
}
