import type { NoteRun } from '@countersign/database';
import { startLoop } from '@countersign/platform';
import type { Logger, Loop, Module, WorkerMetrics } from '@countersign/platform';
import { NO_TENANT } from '../store/housekeeping.js';
import type { HousekeepingStore } from '../store/housekeeping.js';
import { clearSet } from './clear-set.js';

export interface HousekeepingSettings {
  /** Between two passes over a tenant. */
  readonly intervalMs: number;
  /** Most rows of one set in one pass. */
  readonly rows: number;
}

export interface HousekeepingDeps {
  readonly store: HousekeepingStore;
  readonly settings: HousekeepingSettings;
  readonly noted: NoteRun;
  readonly metrics: WorkerMetrics;
  readonly log: Logger;
}

/** Between two passes over a tenant with more to clear than one pass may. */
const PAUSE_MS = 1000;
/** A pass takes seconds; after this another process may take it over. */
const LEASE_MS = 5 * 60_000;

/**
 * Rows that end by their age (protocol §11.3), tenant by tenant, each pass by one process. A set is cleared page by page in
 * short statements that wait for no lock; a row that cannot be cleared is skipped, counted, and reported once.
 */
export function housekeeping(deps: HousekeepingDeps): Module {
  const { store, settings, metrics, log } = deps;
  const { ofTenant, ofNone } = store.sets();
  let stopping = false;
  let loop: Loop | undefined;
  let enlisted = -Infinity;

  async function turn(): Promise<void> {
    try {
      if (performance.now() - enlisted >= settings.intervalMs) {
        await store.enlist();
        enlisted = performance.now();
      }
      while (!stopping) {
        const claimed = await store.claim(LEASE_MS);
        if (claimed === undefined) return;
        await pass(claimed.tenant, claimed.stalled);
      }
    } catch (error) {
      log.warn({ err: error }, 'housekeeping was cut short; the next turn retries');
    }
  }

  async function pass(tenant: string, wasStalled: boolean): Promise<void> {
    let more = false;
    let stalled = false;
    try {
      for (const set of tenant === NO_TENANT ? ofNone : ofTenant) {
        if (stopping) {
          // Sets that were not read are as before.
          stalled ||= wasStalled;
          break;
        }
        const cleared = await clearSet(set, tenant, settings.rows, (error) => {
          metrics.failed();
          log.error({ err: error, tenant, set: set.name }, 'a row cannot be cleared');
        });
        more ||= cleared.more;
        // A row that was locked at its turn is still the one that was reported.
        stalled ||= cleared.failures > 0 || (cleared.elusive && wasStalled);
      }
    } catch (error) {
      if (tenant !== NO_TENANT) await deps.noted(tenant, false);
      throw error;
    }
    const tells = stalled && !wasStalled && tenant !== NO_TENANT;
    const pauseMs = stopping ? 0 : more ? PAUSE_MS : settings.intervalMs;
    await store.end(tenant, pauseMs, stalled, tells);
    if (tenant !== NO_TENANT) await deps.noted(tenant, !stalled);
  }

  return {
    name: 'housekeeping',
    start: async () => {
      loop = startLoop(PAUSE_MS, turn);
    },
    stop: async () => {
      stopping = true;
      await loop?.stop();
    },
  };
}
