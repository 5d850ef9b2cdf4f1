import { executionModule } from '@countersign/execution-authority';
import type { ExecutionOptions } from '@countersign/execution-authority';
import { reconciliationWorker } from '@countersign/execution-authority/workers/reconciliation';
import type { Assembly } from '../assembly.js';
import { offeredProfiles } from '../configuration.js';
import type { ProcessContext } from '../process-context.js';
import { WORKER } from '../worker-settings.js';

export const executionAuthority: Assembly<ProcessContext> = {
  settings: [],
  build: async (context) => [
    executionModule(context.runtime('execution-authority'), optionsOf(context)),
  ],
};

export const reconciliation: Assembly<ProcessContext> = {
  settings: [WORKER],
  build: async (context) => [
    reconciliationWorker(await context.worker('worker-reconciliation'), optionsOf(context)),
  ],
};

function optionsOf(context: ProcessContext): ExecutionOptions {
  return {
    pool: context.pool('execution-authority'),
    notary: context.notary('execution-authority'),
    offered: offeredProfiles(context.config),
    chained: context.hint('outbox'),
  };
}
