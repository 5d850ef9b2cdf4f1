import { Directory } from '@countersign/database';
import type { Saving } from '@countersign/database';
import type { IssuedRecord } from '@countersign/platform';
import { ExecutionStore } from './store/index.js';

export type ExecutionOptions = Saving<IssuedRecord>;

export type ExecutionDeps = ReturnType<typeof executionDeps>;

export function executionDeps(options: ExecutionOptions) {
  const { pool } = options;
  return { ...options, store: new ExecutionStore(pool), directory: new Directory(pool) };
}
