import type { Directory, Saving } from '@countersign/database';
import type { IssuedRecord } from '@countersign/platform';
import type { ExecutionStore } from './store/index.js';

export interface ExecutionDeps extends Saving<IssuedRecord> {
  readonly store: ExecutionStore;
  readonly directory: Directory;
}
