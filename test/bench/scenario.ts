import type { Ends } from './ends.js';

/** A bench of its own: `npm run bench -- <name> [options]`. Throws when it cannot be run, and prints any metrics. */
export type Scenario = (
  args: readonly string[],
  ends: Ends,
  say: (line: string) => void,
) => Promise<void>;
