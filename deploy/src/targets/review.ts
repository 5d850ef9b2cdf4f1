import { SchemaChecks } from '@countersign/platform';
import { loadTrust } from '@countersign/protocol';
import { reviewModule } from '@countersign/review';
import type { Assembly } from '../assembly.js';
import { offeredProfiles } from '../configuration.js';
import type { ProcessContext } from '../process-context.js';

export const review: Assembly<ProcessContext> = {
  settings: [],
  async build(context) {
    const chained = context.hint('outbox');
    const decided = context.hint('decided');
    return [
      reviewModule(context.runtime('review'), {
        pool: context.pool('review'),
        notary: context.notary('review'),
        schemas: new SchemaChecks(context.bus),
        trust: loadTrust(context.trust),
        offered: offeredProfiles(context.config),
        // All records of this service are those of decisions and of votes for them.
        chained: (tenant) => {
          chained(tenant);
          decided(tenant);
        },
      }),
    ];
  },
};
