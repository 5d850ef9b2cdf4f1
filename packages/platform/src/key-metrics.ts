import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

/**
 * How a signature by a person's key was judged: `good`; `refused`, because it does not verify; `stepped_back`, because its counter is
 * not higher than the last one, as that of a copied key is not.
 */
export const ASSERTION_RESULTS = ['good', 'refused', 'stepped_back'] as const;
export type AssertionResult = (typeof ASSERTION_RESULTS)[number];

/** What this process judged of signatures by keys of people. */
export interface KeyMetrics {
  asserted(result: AssertionResult): void;
}

/** Two services of one process share them. Labels are words of the code. */
export function createKeyMetrics(registry: Registry): KeyMetrics {
  const name = 'countersign_assertions_total';
  const known = registry.getSingleMetric(name) as Counter<'result'> | undefined;
  const counter =
    known ??
    new Counter({
      name,
      help: 'Signatures by keys of people, by how they were judged.',
      labelNames: ['result'],
      registers: [registry],
    });
  // There from the start, so that the first one is seen as a change.
  if (known === undefined) for (const result of ASSERTION_RESULTS) counter.inc({ result }, 0);
  return { asserted: (result) => counter.inc({ result }) };
}
