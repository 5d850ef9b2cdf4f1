import { Directory } from '@countersign/database';
import { ExecutionStore, executionModule } from '@countersign/execution-authority';
import type { Module } from '@countersign/platform';
import type { Shared } from '../shared.js';

export function executionModules(shared: Shared): Module[] {
  const pool = shared.pool('execution-authority');
  return [
    executionModule(shared.runtime, {
      store: new ExecutionStore(pool),
      directory: new Directory(pool),
      notary: shared.notary('execution-authority'),
      chained: shared.chained,
    }),
  ];
}
