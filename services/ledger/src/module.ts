import { onFreshState } from '@countersign/database';
import type { Directory, SecurityJournal, Traces } from '@countersign/database';
import { HINTS, TREE_SUBJECT, serveOperations } from '@countersign/platform';
import type { Bus, Handler, Logger, Module, Notary, ServiceRuntime } from '@countersign/platform';
import type { SecurityRead } from '@countersign/protocol';
import { AnchorError } from './anchor/anchor-store.js';
import { drainer } from './drain.js';
import { entries } from './operations/entries.js';
import { events } from './operations/events.js';
import { exportRequest } from './operations/export.js';
import { metrics } from './operations/metrics.js';
import { securityDrain } from './security/chain.js';
import { securityCsvFile, securityList, securityPages } from './security/reading.js';
import { securityCheckpoints } from './security/checkpoints.js';
import type { SecurityCheckpointDeps } from './security/checkpoints.js';
import type { LedgerStore } from './store.js';
import type { MetricsStore } from './store/metrics.js';
import type { SecurityStore } from './store/security.js';
import type { SecurityReadingStore } from './store/security-reading.js';
import type { TreeStore } from './store/tree.js';
import { anchorWorker } from './workers/anchor.js';
import { treeFollower } from './tree/follower.js';
import type { FollowerDeps } from './tree/follower.js';
import { readTree } from './tree/reading.js';
import { witnessRounds } from './tree/witness.js';
import type { WitnessDeps } from './tree/witness.js';
import { createComparison } from './workers/comparison.js';
import type { ComparisonDeps } from './workers/comparison.js';

export interface LedgerDeps {
  readonly store: LedgerStore;
  readonly metrics: MetricsStore;
  readonly tree: TreeStore;
  readonly security: SecurityStore;
  readonly reading: SecurityReadingStore;
  readonly directory: Directory;
  /** For the security log: exports, noted before they are answered. */
  readonly journal: SecurityJournal;
  readonly notary: Notary;
  readonly log: Logger;
  /** To which traces the records belong; null while tracing is off. */
  readonly traces: Traces | null;
  /** Milliseconds of a clock that never jumps, for pauses and intervals only. */
  readonly monotonicMs: () => number;
}

/** What the chain's writer says to others. */
export interface ChainDeps extends LedgerDeps {
  /** Hints, never awaited: a tenant has a new checkpoint; its chain has grown. */
  readonly checkpointed: (tenant: string) => void;
  readonly grown: (tenant: string) => void;
}

/**
 * `ledger.export`, `ledger.events`, `ledger.entries`, `ledger.metrics` and the chain: drains the outbox and signs
 * checkpoints.
 */
export function ledgerModule(runtime: ServiceRuntime, deps: ChainDeps): Module {
  const drain = drainer(deps);
  const security = securityDrain({ store: deps.security, log: deps.log });
  return {
    name: 'ledger',
    start: async () => {
      await serveOperations(
        runtime.bus,
        runtime.verifier,
        'ledger',
        onFreshState({
          'ledger.export': exportRequest(deps),
          'ledger.events': events(deps),
          'ledger.entries': entries(deps),
          'ledger.metrics': metrics(deps),
        }),
        onFreshState(securityReads(deps)),
      );
      await runtime.bus.serve(
        TREE_SUBJECT,
        'ledger',
        readTree({ store: deps.tree, directory: deps.directory }, runtime.verifier),
      );
      await runtime.bus.subscribe(HINTS.outbox, 'ledger', (tenant) => drain.wake(tenant));
      drain.start();
      security.start();
    },
    stop: async () => {
      await Promise.all([drain.stop(), security.stop()]);
    },
  };
}

/** What is served beside the operations: each by its name in protocol/security-log/reads.ts. */
function securityReads(deps: LedgerDeps): Readonly<Record<SecurityRead['name'], Handler>> {
  return {
    'ledger.security-log': securityList(deps),
    'ledger.security-log-pages': securityPages(deps),
    'ledger.security-log-csv': securityCsvFile(deps),
  };
}

/** The target `worker-anchor`. */
export function anchorWorkerModule(bus: Bus, deps: ComparisonDeps): Module {
  const comparison = createComparison(deps);
  const worker = anchorWorker(deps, comparison);
  return {
    name: 'worker-anchor',
    start: async () => {
      await checkStore(deps);
      await comparison.start();
      await bus.subscribe(HINTS.checkpoint, 'worker-anchor', (tenant) => worker.wake(tenant));
      worker.start();
    },
    stop: async () => {
      await comparison.stop();
      await worker.stop();
    },
  };
}

/** A store that can never do is refused at once; one that does not answer is waited for, and meanwhile nothing opens. */
async function checkStore({ anchors, log }: ComparisonDeps): Promise<void> {
  try {
    await anchors.check();
  } catch (error) {
    if (!(error instanceof AnchorError)) throw error;
    log.error(
      { err: error },
      'the anchor store does not answer; it is asked again when it is needed',
    );
  }
}

/** The tree beside the chain, which follows what is anchored, and its witnesses: a part of the target `worker-anchor`. */
export function treeModule(deps: FollowerDeps & WitnessDeps): Module {
  const follower = treeFollower(deps);
  const rounds = witnessRounds(deps);
  return {
    name: 'tree',
    start: async () => {
      follower.start();
      rounds.start();
    },
    stop: async () => {
      await Promise.all([follower.stop(), rounds.stop()]);
    },
  };
}

/** Signs the security log and keeps its checkpoints in the anchor store: a part of the target `worker-anchor`. */
export function securityCheckpointModule(deps: SecurityCheckpointDeps): Module {
  const checkpoints = securityCheckpoints(deps);
  return {
    name: 'security checkpoints',
    start: async () => checkpoints.start(),
    stop: () => checkpoints.stop(),
  };
}
