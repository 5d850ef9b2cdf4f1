import { readFileSync } from 'node:fs';

import { WEB_RUNTIME } from '../runtime.js';
import type { Runtime } from '../runtime.js';

/** What names this boot of the machine; only Linux says it. */
function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return WEB_RUNTIME.boot;
  }
}

export const NODE: Runtime = {
  ...WEB_RUNTIME,
  // Not of the process, as performance.now() is: Linux counts from the start of the machine.
  monotonic: () => Number(process.hrtime.bigint() / 1_000n) / 1_000,
  boot: bootOf(),
};
