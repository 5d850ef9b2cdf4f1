import { deadlineWorker } from '@countersign/platform';
import type { Effect, Module, WorkerRuntime } from '@countersign/platform';
import { Deadlines, isKept, runNotes } from '@countersign/database';
import type { Saving } from '@countersign/database';
import { DeletionStore } from '../store/deletion.js';
import { HousekeepingStore } from '../store/housekeeping.js';
import { auditDeletion } from './audit-deletion.js';
import { housekeeping } from './housekeeping.js';
import type { HousekeepingSettings } from './housekeeping.js';
import { limitPerTenant } from './limit-per-tenant.js';
import { privateDeletion } from './private-deletion.js';

export interface DeletionSettings extends HousekeepingSettings {
  /** Most deadlines of one tenant in one pass of the sweep. */
  readonly perTenant: number;
}

/** The target `worker-deletion`: requests by their deadlines and all other rows by their age. */
export function deletionWorker(
  runtime: WorkerRuntime,
  deps: Saving,
  settings: DeletionSettings,
): Module[] {
  const { log, metrics } = runtime;
  const deadlines = new Deadlines(deps.pool, ['private_deletion', 'audit_deletion']);
  const requests = new DeletionStore(deps.pool);
  const store = new HousekeepingStore(deps.pool);
  const noted = runNotes(deps.pool, 'retention', (error, tenant) =>
    log.warn({ err: error, tenant }, 'the last run of retention could not be recorded'),
  );
  const ofMaterial = privateDeletion({ ...deps, deadlines, store: requests });
  const ofRequest = auditDeletion(requests);
  const effect: Effect = async (item) => {
    try {
      const done = await (item.kind === 'private_deletion' ? ofMaterial(item) : ofRequest(item));
      if (done !== 'later') await noted(item.tenant, true);
      return done;
    } catch (error) {
      // A hold came between the look for one and the deletion, which is undone: the next sweep sees it.
      if (isKept(error)) return 'later';
      await noted(item.tenant, false);
      throw error;
    }
  };
  const source = limitPerTenant(deadlines, settings.perTenant);
  return [
    deadlineWorker({ ...runtime, source, effect }),
    housekeeping({ store, settings, noted, metrics, log }),
  ];
}
