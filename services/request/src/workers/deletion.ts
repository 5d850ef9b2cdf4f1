import { deadlineWorker } from '@countersign/platform';
import type { Effect, Module, WorkerRuntime } from '@countersign/platform';
import type { Deadlines } from '@countersign/database';
import type { HousekeepingStore } from '../store/housekeeping.js';
import { auditDeletion } from './audit-deletion.js';
import { housekeeping } from './housekeeping.js';
import type { HousekeepingSettings } from './housekeeping.js';
import { limitPerTenant } from './limit-per-tenant.js';
import { privateDeletion } from './private-deletion.js';
import type { PrivateDeletionDeps } from './private-deletion.js';
import { retentionRuns } from './retention-runs.js';

export interface DeletionDeps extends PrivateDeletionDeps {
  /** Of kinds `private_deletion` and `audit_deletion`. */
  readonly deadlines: Deadlines;
  readonly housekeeping: HousekeepingStore;
  readonly settings: HousekeepingSettings & {
    /** Most deadlines of one tenant in one pass of the sweep. */
    readonly perTenant: number;
  };
}

/** The target `worker-deletion`: requests by their deadlines and all other rows by their age. */
export function deletionWorker(runtime: WorkerRuntime, deps: DeletionDeps): Module[] {
  const { log, metrics } = runtime;
  const noted = retentionRuns(deps.housekeeping, log);
  const ofMaterial = privateDeletion(deps);
  const ofRequest = auditDeletion(deps.store);
  const effect: Effect = async (item) => {
    try {
      const done = await (item.kind === 'private_deletion' ? ofMaterial(item) : ofRequest(item));
      if (done !== 'later') await noted(item.tenant, true);
      return done;
    } catch (error) {
      await noted(item.tenant, false);
      throw error;
    }
  };
  const source = limitPerTenant(deps.deadlines, deps.settings.perTenant);
  return [
    deadlineWorker({ ...runtime, source, effect }),
    housekeeping({ store: deps.housekeeping, settings: deps.settings, noted, metrics, log }),
  ];
}
