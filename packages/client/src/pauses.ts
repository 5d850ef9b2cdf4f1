import { AnswerInvalid, ServiceRefusal, Unreachable } from './errors.js';
import type { Runtime } from './exchange.js';

/** Between two looks while the service holds no calls, each a fifth longer or shorter. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const;

/** Longer and longer pauses, until something was new. */
export function pauses(runtime: Runtime, all: readonly number[] = PAUSES_MS) {
  let idle = 0;
  return {
    pause: (signal: AbortSignal | undefined) => {
      const ms = all[Math.min(idle, all.length - 1)] as number;
      idle += 1;
      return runtime.sleep(ms * (0.8 + 0.4 * runtime.chance()), signal);
    },
    reset: () => {
      idle = 0;
    },
  };
}

/** Whether a later look may find the service in a better state. */
export function passes(fault: unknown): boolean {
  if (fault instanceof ServiceRefusal) return fault.retry !== 'never';
  return fault instanceof Unreachable && !(fault.cause instanceof AnswerInvalid);
}
