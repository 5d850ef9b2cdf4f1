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
  /** Of all calls together; null when there were none. */
  calls(): StepFigures | null;
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
        const of = figuresOf(ms, bytes);
        if (of !== null) figures[step] = of;
      }
      return figures;
    },
    calls() {
      const calls = [...samples].filter(([step]) => step !== 'available').map(([, of]) => of);
      return figuresOf(
        calls.flatMap(({ ms }) => ms),
        calls.reduce((sum, { bytes }) => sum + bytes, 0),
      );
    },
  };
}

/** Null when there is none. */
export function figuresOf(ms: readonly number[], bytes: number): StepFigures | null {
  if (ms.length === 0) return null;
  const sorted = Float64Array.from(ms).sort();
  return {
    count: sorted.length,
    p50: percentile(sorted, 50),
    p99: percentile(sorted, 99),
    bytes: bytes / sorted.length,
  };
}

/** Nearest rank: a value that was seen. */
function percentile(sorted: Float64Array, percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] as number;
}
