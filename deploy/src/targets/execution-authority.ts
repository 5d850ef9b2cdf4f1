import { Deadlines, Directory } from '@countersign/database';
import {
  ExecutionStore,
  executionModule,
  reconciliationWorker,
} from '@countersign/execution-authority';
import type { ExecutionDeps } from '@countersign/execution-authority';
import type { Module } from '@countersign/platform';
import type { Shared } from '../shared.js';

export function executionModules(shared: Shared): Module[] {
  return [executionModule(shared.runtime('execution-authority'), depsOf(shared))];
}

export async function reconciliationModules(shared: Shared): Promise<Module[]> {
  const pool = shared.pool('execution-authority');
  const deadlines = new Deadlines(pool, ['reconciliation', 'reconciliation_end']);
  const runtime = await shared.worker('worker-reconciliation');
  return [reconciliationWorker(runtime, depsOf(shared), deadlines)];
}

function depsOf(shared: Shared): ExecutionDeps {
  const pool = shared.pool('execution-authority');
  return {
    store: new ExecutionStore(pool),
    directory: new Directory(pool),
    notary: shared.notary('execution-authority'),
    chained: shared.hint('outbox'),
  };
}
