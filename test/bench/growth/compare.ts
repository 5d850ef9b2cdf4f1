import type { Probe } from './probes.js';

/** Of one call; milliseconds. */
export interface Times {
  /** The percentile that neighbours on the machine disturb least. */
  readonly p10: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Comparison {
  readonly name: string;
  readonly small: Times;
  readonly large: Times;
  /** Of the medians. */
  readonly ratio: number;
  readonly reached: boolean;
}

/** The most that a median may grow by. */
export const MOST_RATIO = 1.3;

/**
 * Calls every probe of both sides so often, one call of the one and one of the other in turn: other load on the machine
 * affects both alike.
 */
export async function compare(
  small: readonly Probe[],
  large: readonly Probe[],
  repetitions: number,
): Promise<Comparison[]> {
  const samples = small.map(() => ({ small: [] as number[], large: [] as number[] }));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const [place, of] of samples.entries()) {
      const one = async () => of.small.push(await timed(small[place] as Probe));
      const other = async () => of.large.push(await timed(large[place] as Probe));
      for (const call of repetition % 2 === 0 ? [one, other] : [other, one]) await call();
    }
  }
  return samples.map((of, place) => {
    const [before, after] = [timesOf(of.small), timesOf(of.large)];
    const ratio = after.p50 / before.p50;
    return {
      name: (small[place] as Probe).name,
      small: before,
      large: after,
      ratio,
      reached: ratio <= MOST_RATIO,
    };
  });
}

async function timed(probe: Probe): Promise<number> {
  const began = performance.now();
  await probe.call();
  return performance.now() - began;
}

function timesOf(values: readonly number[]): Times {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] as number;
  return { p10: at(0.1), p50: at(0.5), p99: at(0.99) };
}
