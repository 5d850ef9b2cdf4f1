import { SchemaChecks, createApprovalMetrics, createKeyMetrics } from '@countersign/platform';
import { loadTrust } from '@countersign/protocol';
import { reviewModule, waitingMetrics } from '@countersign/review';
import type { Assembly } from '../assembly.js';
import { offeredProfiles } from '../configuration.js';
import type { ProcessContext } from '../process-context.js';

export const review: Assembly<ProcessContext> = {
  settings: [],
  async build(context) {
    const chained = context.hint('outbox');
    const decided = context.hint('decided');
    const options = {
      pool: context.pool('review'),
      notary: context.notary('review'),
      schemas: new SchemaChecks(context.bus),
      trust: loadTrust(context.trust),
      offered: offeredProfiles(context.config),
      votes: createApprovalMetrics(context.metrics),
      keys: createKeyMetrics(context.metrics),
      // All records of this service are those of decisions and of votes for them.
      chained: (tenant: string) => {
        chained(tenant);
        decided(tenant);
      },
    };
    waitingMetrics(context.metrics, context.log, options);
    return [reviewModule(context.runtime('review'), options)];
  },
};
