import { onFreshState } from '@countersign/database';
import { HINTS, TREE_SUBJECT, serveAdmin, serveOperations } from '@countersign/platform';
import type {
  AdminHandlers,
  Bus,
  Module,
  OperationHandlers,
  ServiceRuntime,
} from '@countersign/platform';
import { CUSTODY_READ, SECURITY_READS } from '@countersign/protocol';
import type { SecurityRead } from '@countersign/protocol';
import { AnchorError } from './anchor/anchor-store.js';
import { ledgerDeps } from './deps.js';
import type { ChainOptions } from './deps.js';
import { drainer } from './drain.js';
import { custody } from './operations/custody.js';
import { entries } from './operations/entries.js';
import { events } from './operations/events.js';
import { evidence } from './operations/evidence.js';
import { exportRequest } from './operations/export.js';
import { heldExport } from './operations/held-export.js';
import { metrics } from './operations/metrics.js';
import { securityDrain } from './security/chain.js';
import { securityCsvFile, securityList, securityPages } from './security/reading.js';
import { securityCheckpoints } from './security/checkpoints.js';
import type { SecurityCheckpointDeps } from './security/checkpoints.js';
import { anchorWorker } from './workers/anchor.js';
import { treeFollower } from './tree/follower.js';
import type { FollowerDeps } from './tree/follower.js';
import { readTree } from './tree/reading.js';
import { witnessRounds } from './tree/witness.js';
import type { WitnessDeps } from './tree/witness.js';
import { comparisonDeps, createComparison } from './workers/comparison.js';
import type { ComparisonDeps, ComparisonOptions } from './workers/comparison.js';

/**
 * `ledger.export`, `ledger.evidence`, `ledger.events`, `ledger.entries`, `ledger.metrics`, `ledger.held-export` and the chain:
 * drains the outbox and signs checkpoints.
 */
export function ledgerModule(runtime: ServiceRuntime, options: ChainOptions): Module {
  const deps = ledgerDeps(options);
  const drain = drainer(deps);
  const security = securityDrain({ store: deps.security, log: deps.log });
  const operations: OperationHandlers<'ledger'> = {
    'ledger.export': exportRequest(deps),
    'ledger.evidence': evidence(deps),
    'ledger.events': events(deps),
    'ledger.entries': entries(deps),
    'ledger.metrics': metrics(deps),
    'ledger.held-export': heldExport(deps),
  };
  const securityReads: AdminHandlers<SecurityRead> = {
    'ledger.security-log': securityList(deps),
    'ledger.security-log-pages': securityPages(deps),
    'ledger.security-log-csv': securityCsvFile(deps),
  };
  return {
    name: 'ledger',
    start: async () => {
      await serveOperations(runtime, 'ledger', onFreshState(operations));
      await serveAdmin(runtime, 'ledger', SECURITY_READS, onFreshState(securityReads));
      await serveAdmin(
        runtime,
        'ledger',
        [CUSTODY_READ],
        onFreshState({ 'ledger.custody': custody(deps) }),
      );
      await runtime.bus.serve(
        TREE_SUBJECT,
        'ledger',
        readTree({ store: deps.tree, directory: deps.directory }, runtime.verifier),
      );
      await runtime.bus.subscribe(HINTS.outbox, 'ledger', (tenant) => drain.wake(tenant));
      await runtime.bus.subscribe(HINTS.decided, 'ledger', (tenant) => drain.decided(tenant));
      drain.start();
      security.start();
    },
    stop: async () => {
      await Promise.all([drain.stop(), security.stop()]);
    },
  };
}

/** The target `worker-anchor`. */
export function anchorWorkerModule(bus: Bus, options: ComparisonOptions): Module {
  const deps = comparisonDeps(options);
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
    log.error({ err: error }, 'the anchor store does not answer; it is retried when needed');
  }
}

/**
 * The tree beside the chain, which follows the anchored entries, and its witnesses: a part of the target `worker-anchor`.
 */
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
