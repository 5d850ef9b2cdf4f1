import { Deadlines, Directory } from '@countersign/database';
import { ExecutionStore, executionModule } from '@countersign/execution-authority';
import type { ExecutionDeps } from '@countersign/execution-authority';
import { reconciliationWorker } from '@countersign/execution-authority/workers/reconciliation';
import type { Assembly } from '../assembly.js';
import type { ProcessContext } from '../process-context.js';
import { WORKER } from '../worker-settings.js';

export const executionAuthority: Assembly<ProcessContext> = {
  settings: [],
  build: async (context) => [
    executionModule(context.runtime('execution-authority'), depsOf(context)),
  ],
};

export const reconciliation: Assembly<ProcessContext> = {
  settings: [WORKER],
  async build(context) {
    const pool = context.pool('execution-authority');
    const deadlines = new Deadlines(pool, ['reconciliation', 'reconciliation_end']);
    const runtime = await context.worker('worker-reconciliation');
    return [reconciliationWorker(runtime, depsOf(context), deadlines)];
  },
};

function depsOf(context: ProcessContext): ExecutionDeps {
  const pool = context.pool('execution-authority');
  return {
    store: new ExecutionStore(pool),
    directory: new Directory(pool),
    pool,
    notary: context.notary('execution-authority'),
    chained: context.hint('outbox'),
  };
}
