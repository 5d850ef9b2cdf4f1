import type { Directory } from '@countersign/database';
import type { Notary, SchemaChecks } from '@countersign/platform';
import type { ReviewStore } from './store.js';

export interface ReviewDeps {
  readonly store: ReviewStore;
  readonly directory: Directory;
  readonly notary: Notary;
  readonly schemas: SchemaChecks;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}
