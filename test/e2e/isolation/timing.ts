import type { Answer } from '../../support/client.js';

export interface Timing {
  readonly text: string;
  /** Whether a few calls tell whether something is there. */
  readonly hint: boolean;
}

/**
 * Times calls about another's resource against calls about a missing one, in pairs whose order changes, so that load on the
 * machine affects both alike. Figures are medians.
 */
export async function timePairs(
  name: string,
  count: number,
  call: (existing: boolean, turn: number) => Promise<Answer>,
): Promise<Timing> {
  const found: number[] = [];
  const missing: number[] = [];
  for (let turn = -5; turn < count; turn += 1) {
    const order = Math.random() < 0.5 ? [true, false] : [false, true];
    for (const existing of order) {
      const start = performance.now();
      await call(existing, turn);
      const took = performance.now() - start;
      // The first ones warm up connections, plans and code.
      if (turn >= 0) (existing ? found : missing).push(took);
    }
  }
  const [one, other] = [median(found), median(missing)];
  const slower = found.filter((took, turn) => took > (missing[turn] ?? NaN)).length;
  const share = slower / count;
  const text =
    `${name}: ${one.toFixed(2)} ms if there, ${other.toFixed(2)} ms if not; ` +
    `slower if there in ${(100 * share).toFixed(0)} % of ${count}`;
  // Both, because on a busy machine each alone happens by chance: far apart, and nearly always the same one.
  const apart = Math.max(one, other) > 2 * Math.min(one, other) + 1;
  return { text, hint: apart && Math.abs(share - 0.5) > 0.3 };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
