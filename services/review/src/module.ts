import type { Directory } from '@countersign/database';
import { serveOperations } from '@countersign/platform';
import type { Module, Notary, SchemaChecks, ServiceRuntime } from '@countersign/platform';
import { assign } from './operations/assign.js';
import { confirm } from './operations/confirm.js';
import { propose } from './operations/propose.js';
import type { ReviewStore } from './store.js';

export interface ReviewDeps {
  readonly store: ReviewStore;
  readonly directory: Directory;
  readonly notary: Notary;
  readonly schemas: SchemaChecks;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

/** `review.assign`, `review.propose`, `review.confirm`: reviewers propose and confirm. */
export function reviewModule(runtime: ServiceRuntime, deps: ReviewDeps): Module {
  return {
    name: 'review',
    start: async () => {
      // Each sees to fresh state by itself: what a call has checked in a worker is kept for its further attempts.
      await serveOperations(runtime.bus, runtime.verifier, 'review', {
        'review.assign': assign(deps),
        'review.propose': propose(deps),
        'review.confirm': confirm(deps),
      });
    },
    stop: async () => {},
  };
}
