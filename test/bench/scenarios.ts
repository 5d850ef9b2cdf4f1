import type { Ends } from './ends.js';

/** A bench of its own: `npm run bench -- <name> [options]`. Throws when it cannot be run, prints figures whatever they are. */
export type Scenario = (
  args: readonly string[],
  ends: Ends,
  say: (line: string) => void,
) => Promise<void>;

/** Loaded only when asked for. */
export const SCENARIOS: Readonly<Record<string, () => Promise<Scenario>>> = {
  anchoring: async () => (await import('./anchoring/anchoring.js')).anchoring,
  deadlines: async () => (await import('./deadlines/deadlines.js')).deadlines,
  deletion: async () => (await import('./deletion/deletion.js')).deletion,
  drain: async () => (await import('./drain/drain.js')).drain,
  growth: async () => (await import('./growth/growth.js')).growth,
  neighbours: async () => (await import('./neighbours/neighbours.js')).neighbours,
};
