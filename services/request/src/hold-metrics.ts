import type { Pool } from '@countersign/database';
import { cachedGauges } from '@countersign/platform';
import type { Logger, Registry } from '@countersign/platform';
import { readHeld } from './store/held.js';

const HOLDS = 'countersign_holds';
const REQUESTS = 'countersign_held_requests';
const BYTES = 'countersign_held_bytes';
const FIRST_END = 'countersign_hold_end_timestamp_seconds';

/** Gauges of the legal holds in force, of all tenants. Every replica reports the same values: take the maximum. */
export function holdMetrics(registry: Registry, log: Logger, pool: Pool): void {
  cachedGauges(
    registry,
    log,
    [
      { name: HOLDS, help: 'Legal holds in force.' },
      { name: REQUESTS, help: 'Requests that a legal hold in force keeps.' },
      { name: BYTES, help: 'Bytes of private material that legal holds in force keep.' },
      { name: FIRST_END, help: 'When the first of the legal holds in force ends.' },
    ],
    async () => {
      const { holds, requests, bytes, firstEnd } = await readHeld(pool);
      return {
        [HOLDS]: [{ value: holds }],
        [REQUESTS]: [{ value: requests }],
        [BYTES]: [{ value: bytes }],
        [FIRST_END]: firstEnd === null ? [] : [{ value: firstEnd }],
      };
    },
  );
}
