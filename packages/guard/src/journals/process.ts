import { readFileSync } from 'node:fs';

import { ANYWHERE } from '../around.js';
import type { Around } from '../around.js';

/** What names this boot of the machine; only Linux says it. */
function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return ANYWHERE.boot;
  }
}

export const NODE: Around = {
  ...ANYWHERE,
  // Not of the process, as performance.now() is: Linux counts from the start of the machine.
  monotonic: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
  boot: bootOf(),
};
