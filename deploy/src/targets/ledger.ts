import { Directory } from '@countersign/database';
import {
  ComparisonStore,
  FileAnchorStore,
  LagStore,
  LedgerStore,
  MetricsStore,
  TreeStore,
  anchorWorkerModule,
  anchoredTimer,
  chainFigures,
  ledgerModule,
  openS3Anchors,
  treeModule,
} from '@countersign/ledger';
import type { AnchorStore, LedgerDeps } from '@countersign/ledger';
import type { Module } from '@countersign/platform';
import { anchorS3Settings } from '../anchor-settings.js';
import { loadTrust } from '@countersign/protocol';
import { witnessesOf } from '../witnesses.js';
import type { Shared } from '../shared.js';

export function ledgerModules(shared: Shared): Module[] {
  const lag = new LagStore(shared.pool('ledger'));
  chainFigures(shared.metrics, shared.log, lag);
  return [
    ledgerModule(shared.runtime, {
      ...ledgerDeps(shared),
      checkpointed: shared.hint('checkpoint'),
      grown: shared.hint('grown'),
    }),
  ];
}

/** Without an anchor store reviews work, audit states stay pending and no grant becomes available (contract §4.2). */
export async function anchorWorkerModules(shared: Shared): Promise<Module[]> {
  const anchors = await anchorStoreOf(shared);
  if (anchors === null) {
    shared.log.warn(
      'neither ANCHOR_S3_BUCKET nor ANCHOR_DIR is set: nothing is anchored, and no grant becomes available',
    );
    return [];
  }
  const comparison = new ComparisonStore(shared.pool('ledger'));
  return [
    anchorWorkerModule(shared.runtime, {
      ...ledgerDeps(shared),
      anchors,
      comparison,
      chained: shared.hint('outbox'),
      anchored: anchoredTimer(shared.metrics),
    }),
    treeModule({
      store: new TreeStore(shared.pool('ledger')),
      notary: shared.notary('ledger'),
      trust: loadTrust(shared.trust),
      witnesses: witnessesOf(shared.env, shared.config.MODE),
      log: shared.log,
      monotonicMs: () => performance.now(),
    }),
  ];
}

async function anchorStoreOf({ config, env }: Shared): Promise<AnchorStore | null> {
  const { ANCHOR_DIR, ANCHOR_S3_BUCKET, MODE } = config;
  if (ANCHOR_S3_BUCKET !== undefined) {
    return openS3Anchors(anchorS3Settings(ANCHOR_S3_BUCKET, env, MODE));
  }
  return ANCHOR_DIR === undefined ? null : new FileAnchorStore(ANCHOR_DIR);
}

function ledgerDeps(shared: Shared): LedgerDeps {
  const pool = shared.pool('ledger');
  return {
    store: new LedgerStore(pool),
    metrics: new MetricsStore(pool),
    tree: new TreeStore(pool),
    directory: new Directory(pool),
    notary: shared.notary('ledger'),
    log: shared.log,
    traces: shared.traces('ledger'),
    monotonicMs: () => performance.now(),
  };
}
