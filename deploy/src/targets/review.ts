import { Directory } from '@countersign/database';
import { SchemaChecks } from '@countersign/platform';
import { ReviewStore, reviewModule } from '@countersign/review';
import type { Assembly } from '../assembly.js';
import type { ProcessContext } from '../process-context.js';

export const review: Assembly<ProcessContext> = {
  settings: [],
  async build(context) {
    const pool = context.pool('review');
    const chained = context.hint('outbox');
    const decided = context.hint('decided');
    return [
      reviewModule(context.runtime('review'), {
        store: new ReviewStore(pool),
        directory: new Directory(pool),
        pool,
        notary: context.notary('review'),
        schemas: new SchemaChecks(context.bus),
        // All records of this service are those of decisions.
        chained: (tenant) => {
          chained(tenant);
          decided(tenant);
        },
      }),
    ];
  },
};
