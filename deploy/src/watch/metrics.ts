import { Counter, Gauge, createMetrics } from '@countersign/platform';
import type { Registry } from '@countersign/platform';
import { VIOLATIONS } from './violation.js';
import type { ViolationKind } from './violation.js';

/** How a look at the log ended. */
export type Outcome = 'held' | 'violated' | 'unchecked';

export interface WatchMetrics {
  readonly registry: Registry;
  looked(outcome: Outcome): void;
  violated(kind: ViolationKind): void;
  held(size: number): void;
}

export function watchMetrics(): WatchMetrics {
  const registry = createMetrics('watch');
  const registers = [registry];
  const looks = new Counter({
    name: 'countersign_watch_looks_total',
    help: 'Looks at the log, by how they ended: held, violated, or unchecked because the log gave no answer.',
    labelNames: ['outcome'],
    registers,
  });
  const violations = new Counter({
    name: 'countersign_watch_violations_total',
    help: 'Looks that found a violation, by its kind.',
    labelNames: ['violation'],
    registers,
  });
  const size = new Gauge({
    name: 'countersign_watch_size',
    help: 'Entries of the tree that was verified last.',
    registers,
  });
  const held = new Gauge({
    name: 'countersign_watch_held_timestamp_seconds',
    help: 'When the log was verified last.',
    registers,
  });
  // An alert on an increase needs a first value.
  for (const outcome of ['held', 'violated', 'unchecked']) looks.inc({ outcome }, 0);
  for (const violation of VIOLATIONS) violations.inc({ violation }, 0);
  return {
    registry,
    looked: (outcome) => looks.inc({ outcome }),
    violated: (violation) => violations.inc({ violation }),
    held(entries) {
      size.set(entries);
      held.setToCurrentTime();
    },
  };
}
