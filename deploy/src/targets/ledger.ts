import { Directory } from '@countersign/database';
import {
  FileAnchorStore,
  LedgerStore,
  MetricsStore,
  anchorWorkerModule,
  ledgerModule,
} from '@countersign/ledger';
import type { LedgerDeps } from '@countersign/ledger';
import { HINTS } from '@countersign/platform';
import type { Module } from '@countersign/platform';
import type { Shared } from '../shared.js';

export function ledgerModules(shared: Shared): Module[] {
  return [ledgerModule(shared.runtime, ledgerDeps(shared))];
}

/** Without an anchor store reviews work, audit states stay pending and no grant becomes available (contract §4.2). */
export function anchorWorkerModules(shared: Shared): Module[] {
  const { ANCHOR_DIR } = shared.config;
  if (ANCHOR_DIR === undefined) {
    shared.log.warn('ANCHOR_DIR is not set: nothing is anchored, and no grant becomes available');
    return [];
  }
  const anchors = new FileAnchorStore(ANCHOR_DIR);
  return [anchorWorkerModule(shared.runtime, { ...ledgerDeps(shared), anchors })];
}

function ledgerDeps(shared: Shared): LedgerDeps {
  const pool = shared.pool('ledger');
  return {
    store: new LedgerStore(pool),
    metrics: new MetricsStore(pool),
    directory: new Directory(pool),
    notary: shared.notary('ledger'),
    log: shared.log,
    monotonicMs: () => performance.now(),
    chained: shared.chained,
    checkpointed: (tenant) => shared.bus.publish(HINTS.checkpoint, tenant),
  };
}
