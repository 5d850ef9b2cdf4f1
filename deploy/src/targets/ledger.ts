import {
  FileAnchorStore,
  SecurityStore,
  TreeStore,
  anchorWorkerModule,
  anchoredTimer,
  chainMetrics,
  ledgerModule,
  openS3Anchors,
  securityCheckpointModule,
  securityMetrics,
  securityLagMetrics,
  treeModule,
} from '@countersign/ledger';
import type { AnchorStore, LedgerOptions } from '@countersign/ledger';
import { loadConfig } from '@countersign/platform';
import { loadTrust } from '@countersign/protocol';
import type { Assembly } from '../assembly.js';
import {
  ANCHOR_S3,
  ANCHOR_STORE,
  anchorS3Settings,
  anchorStoreConfig,
  securitySettings,
} from '../anchor-settings.js';
import { SECURITY_LOG } from '../security-settings.js';
import type { ProcessContext } from '../process-context.js';
import { witnessesOf, witnessesShape } from '../witnesses.js';

export const ledger: Assembly<ProcessContext> = {
  settings: [],
  async build(context) {
    const pool = context.pool('ledger');
    chainMetrics(context.metrics, context.log, pool);
    securityLagMetrics(context.metrics, context.log, pool);
    return [
      ledgerModule(context.runtime('ledger'), {
        ...optionsOf(context),
        manifest: JSON.stringify(context.trust),
        trust: loadTrust(context.trust),
        checkpointed: context.hint('checkpoint'),
        grown: context.hint('grown'),
      }),
    ];
  },
};

/** Without an anchor store reviews work, audit states stay pending and no grant becomes available (protocol §4.2). */
export const anchor: Assembly<ProcessContext> = {
  settings: [ANCHOR_STORE, ANCHOR_S3, SECURITY_LOG, witnessesShape(false)],
  async build(context) {
    const anchors = await anchorStoreOf(context, 'checkpoints');
    const securityAnchors = await anchorStoreOf(context, 'security');
    if (anchors === null || securityAnchors === null) {
      context.log.warn(
        'neither ANCHOR_S3_BUCKET nor ANCHOR_DIR is set: nothing is anchored, and no grant becomes available',
      );
      return [];
    }
    const pool = context.pool('ledger');
    return [
      anchorWorkerModule(context.bus, {
        ...optionsOf(context),
        anchors,
        chained: context.hint('outbox'),
        decided: context.hint('decided'),
        anchored: anchoredTimer(context.metrics),
      }),
      treeModule({
        store: new TreeStore(pool),
        notary: context.notary('ledger'),
        trust: loadTrust(context.trust),
        witnesses: witnessesOf(context.env, context.config.MODE),
        log: context.log,
      }),
      securityCheckpointModule({
        store: new SecurityStore(pool),
        anchors: securityAnchors,
        notary: context.notary('ledger'),
        seconds: loadConfig(SECURITY_LOG, context.env).SECURITY_CHECKPOINT_SECONDS,
        metrics: securityMetrics(context.metrics),
        log: context.log,
      }),
    ];
  },
};

/** The store of the ledger's checkpoints, or that of the security log's beside it. */
async function anchorStoreOf(
  { config: { MODE }, env }: ProcessContext,
  of: 'checkpoints' | 'security',
): Promise<AnchorStore | null> {
  const { ANCHOR_DIR, ANCHOR_S3_BUCKET } = anchorStoreConfig(env, MODE);
  if (ANCHOR_S3_BUCKET !== undefined) {
    const settings = anchorS3Settings(ANCHOR_S3_BUCKET, env, MODE);
    return openS3Anchors(of === 'security' ? securitySettings(settings) : settings);
  }
  return ANCHOR_DIR === undefined ? null : new FileAnchorStore(ANCHOR_DIR, of);
}

function optionsOf(context: ProcessContext): LedgerOptions {
  return {
    pool: context.pool('ledger'),
    notary: context.notary('ledger'),
    log: context.log,
    traces: context.traces('ledger'),
  };
}
