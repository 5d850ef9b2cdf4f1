import type { Logger } from '@countersign/platform';
import type { HousekeepingStore } from '../store/housekeeping.js';

/** Says of a tenant that retention went well or failed. */
export type NoteRun = (tenant: string, well: boolean) => Promise<void>;

const NOTE_MS = 1000;

/** Notes of each tenant at most one success and one failure a second; the metrics show when (`ledger.metrics`). */
export function retentionRuns(store: Pick<HousekeepingStore, 'noteRun'>, log: Logger): NoteRun {
  const last = new Map<string, number>();
  return async (tenant, well) => {
    const key = `${well} ${tenant}`;
    const now = performance.now();
    if (now - (last.get(key) ?? -Infinity) < NOTE_MS) return;
    last.set(key, now);
    try {
      await store.noteRun(tenant, well);
    } catch (error) {
      log.warn({ err: error, tenant }, 'the last run of retention could not be recorded');
    }
  };
}
