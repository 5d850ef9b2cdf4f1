import { isOfRow } from '../store/housekeeping.js';
import type { HousekeepingSet } from '../store/housekeeping.js';

/** Rows of one set that fail by themselves before the set is left for the next pass. */
const MOST_FAILURES = 10;

export interface Cleared {
  /** There may be more than this pass was allowed. */
  readonly more: boolean;
  /** Rows that cannot be cleared. */
  readonly failures: number;
  /**
   * A page failed, and none of its rows by itself: sets skip locked rows, and a failed statement holds its rows until the
   * server has undone it, which is after it answered.
   */
  readonly elusive: boolean;
}

/**
 * Clears one set of a tenant, at most `rows` of it. A page that fails is halved until a failing row is by itself, which is
 * passed to `rowFailed`. Throws a failure that no row causes.
 */
export async function clearSet(
  set: HousekeepingSet,
  tenant: string,
  rows: number,
  rowFailed: (error: unknown) => void,
): Promise<Cleared> {
  let left = rows;
  let size = rows;
  let failures = 0;
  let elusive = false;
  while (left > 0 && failures < MOST_FAILURES) {
    const asked = Math.min(size, left);
    try {
      const cleared = await set.clear(tenant, asked, failures);
      if (cleared < asked) return { more: false, failures, elusive };
      left -= cleared;
      size = asked * 2;
    } catch (error) {
      if (!isOfRow(error)) throw error;
      elusive = asked > 1;
      if (asked === 1) {
        failures += 1;
        rowFailed(error);
      }
      size = Math.ceil(asked / 2);
    }
  }
  return { more: failures < MOST_FAILURES, failures, elusive };
}
