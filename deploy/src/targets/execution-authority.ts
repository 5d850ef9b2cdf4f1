import { Deadlines, Directory } from '@countersign/database';
import {
  ExecutionStore,
  executionModule,
  reconciliationWorker,
} from '@countersign/execution-authority';
import type { ExecutionDeps } from '@countersign/execution-authority';
import type { Assembly } from '../assembly.js';
import type { Shared } from '../shared.js';
import { WORKER } from '../worker-settings.js';

export const executionAuthority: Assembly<Shared> = {
  settings: [],
  build: async (shared) => [executionModule(shared.runtime('execution-authority'), depsOf(shared))],
};

export const reconciliation: Assembly<Shared> = {
  settings: [WORKER],
  async build(shared) {
    const pool = shared.pool('execution-authority');
    const deadlines = new Deadlines(pool, ['reconciliation', 'reconciliation_end']);
    const runtime = await shared.worker('worker-reconciliation');
    return [reconciliationWorker(runtime, depsOf(shared), deadlines)];
  },
};

function depsOf(shared: Shared): ExecutionDeps {
  const pool = shared.pool('execution-authority');
  return {
    store: new ExecutionStore(pool),
    directory: new Directory(pool),
    notary: shared.notary('execution-authority'),
    chained: shared.hint('outbox'),
  };
}
