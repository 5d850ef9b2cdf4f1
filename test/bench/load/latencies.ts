import { STEPS } from './lifecycle.js';
import type { Step } from './lifecycle.js';

/** Of one step in one measurement; milliseconds, and the mean size of its answers. */
export interface StepFigures {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
}

export type Steps = Partial<Record<Step, StepFigures>>;

export interface Latencies {
  note(step: Step, ms: number, bytes: number): void;
  figures(): Steps;
}

export function newLatencies(): Latencies {
  const samples = new Map<Step, { ms: number[]; bytes: number }>(
    STEPS.map((step) => [step, { ms: [], bytes: 0 }]),
  );
  return {
    note(step, ms, bytes) {
      const of = samples.get(step) as { ms: number[]; bytes: number };
      of.ms.push(ms);
      of.bytes += bytes;
    },
    figures() {
      const figures: Steps = {};
      for (const [step, { ms, bytes }] of samples) {
        if (ms.length === 0) continue;
        const sorted = Float64Array.from(ms).sort();
        figures[step] = {
          count: sorted.length,
          p50: percentile(sorted, 50),
          p99: percentile(sorted, 99),
          bytes: bytes / sorted.length,
        };
      }
      return figures;
    },
  };
}

/** Nearest rank: a value that was seen. */
function percentile(sorted: Float64Array, percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] as number;
}
