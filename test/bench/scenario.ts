import type { Ends } from './ends.js';

/** A bench of its own: `npm run bench -- <name> [options]`. Throws when it cannot be run, prints metrics whatever they are. */
export type Scenario = (
  args: readonly string[],
  ends: Ends,
  say: (line: string) => void,
) => Promise<void>;
