import type { Directory } from '@countersign/database';
import type { Notary } from '@countersign/platform';
import type { ExecutionStore } from './store.js';

export interface ExecutionDeps {
  readonly store: ExecutionStore;
  readonly directory: Directory;
  readonly notary: Notary;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}
