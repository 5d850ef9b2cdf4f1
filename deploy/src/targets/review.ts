import { Directory } from '@countersign/database';
import { SchemaChecks } from '@countersign/platform';
import { ReviewStore, reviewModule } from '@countersign/review';
import type { Assembly } from '../assembly.js';
import type { Shared } from '../shared.js';

export const review: Assembly<Shared> = {
  settings: [],
  async build(shared) {
    const pool = shared.pool('review');
    return [
      reviewModule(shared.runtime('review'), {
        store: new ReviewStore(pool),
        directory: new Directory(pool),
        notary: shared.notary('review'),
        schemas: new SchemaChecks(shared.bus),
        chained: shared.hint('outbox'),
      }),
    ];
  },
};
