import { Directory, SecurityJournal } from '@countersign/database';
import {
  ComparisonStore,
  FileAnchorStore,
  LagStore,
  LedgerStore,
  MetricsStore,
  SecurityReadingStore,
  SecurityStore,
  TreeStore,
  anchorWorkerModule,
  anchoredTimer,
  chainFigures,
  ledgerModule,
  openS3Anchors,
  securityCheckpointModule,
  securityFigures,
  securityLagFigures,
  treeModule,
} from '@countersign/ledger';
import type { AnchorStore, LedgerDeps } from '@countersign/ledger';
import { loadTrust } from '@countersign/protocol';
import type { Assembly } from '../assembly.js';
import {
  ANCHOR_S3,
  ANCHOR_STORE,
  anchorS3Settings,
  anchorStoreConfig,
  securitySettings,
} from '../anchor-settings.js';
import { SECURITY_LOG, securityLogConfig } from '../security-settings.js';
import type { Shared } from '../shared.js';
import { witnessesOf, witnessesShape } from '../witnesses.js';

export const ledger: Assembly<Shared> = {
  settings: [],
  async build(shared) {
    const pool = shared.pool('ledger');
    chainFigures(shared.metrics, shared.log, new LagStore(pool));
    securityLagFigures(shared.metrics, shared.log, new SecurityStore(pool));
    return [
      ledgerModule(shared.runtime('ledger'), {
        ...ledgerDeps(shared),
        checkpointed: shared.hint('checkpoint'),
        grown: shared.hint('grown'),
      }),
    ];
  },
};

/** Without an anchor store reviews work, audit states stay pending and no grant becomes available (protocol §4.2). */
export const anchor: Assembly<Shared> = {
  settings: [ANCHOR_STORE, ANCHOR_S3, SECURITY_LOG, witnessesShape(false)],
  async build(shared) {
    const anchors = await anchorStoreOf(shared, 'checkpoints');
    const securityAnchors = await anchorStoreOf(shared, 'security');
    if (anchors === null || securityAnchors === null) {
      shared.log.warn(
        'neither ANCHOR_S3_BUCKET nor ANCHOR_DIR is set: nothing is anchored, and no grant becomes available',
      );
      return [];
    }
    const pool = shared.pool('ledger');
    return [
      anchorWorkerModule(shared.bus, {
        ...ledgerDeps(shared),
        anchors,
        comparison: new ComparisonStore(pool),
        chained: shared.hint('outbox'),
        anchored: anchoredTimer(shared.metrics),
      }),
      treeModule({
        store: new TreeStore(pool),
        notary: shared.notary('ledger'),
        trust: loadTrust(shared.trust),
        witnesses: witnessesOf(shared.env, shared.config.MODE),
        log: shared.log,
        monotonicMs: () => performance.now(),
      }),
      securityCheckpointModule({
        store: new SecurityStore(pool),
        anchors: securityAnchors,
        notary: shared.notary('ledger'),
        seconds: securityLogConfig(shared.env).SECURITY_CHECKPOINT_SECONDS,
        figures: securityFigures(shared.metrics),
        log: shared.log,
        monotonicMs: () => performance.now(),
      }),
    ];
  },
};

/** The store of the ledger's checkpoints, or that of the security log's beside it. */
async function anchorStoreOf(
  { config: { MODE }, env }: Shared,
  of: 'checkpoints' | 'security',
): Promise<AnchorStore | null> {
  const { ANCHOR_DIR, ANCHOR_S3_BUCKET } = anchorStoreConfig(env, MODE);
  if (ANCHOR_S3_BUCKET !== undefined) {
    const settings = anchorS3Settings(ANCHOR_S3_BUCKET, env, MODE);
    return openS3Anchors(of === 'security' ? securitySettings(settings) : settings);
  }
  return ANCHOR_DIR === undefined ? null : new FileAnchorStore(ANCHOR_DIR, of);
}

function ledgerDeps(shared: Shared): LedgerDeps {
  const pool = shared.pool('ledger');
  return {
    store: new LedgerStore(pool),
    metrics: new MetricsStore(pool),
    tree: new TreeStore(pool),
    security: new SecurityStore(pool),
    reading: new SecurityReadingStore(pool),
    directory: new Directory(pool),
    journal: new SecurityJournal(pool),
    notary: shared.notary('ledger'),
    log: shared.log,
    traces: shared.traces('ledger'),
    monotonicMs: () => performance.now(),
  };
}
