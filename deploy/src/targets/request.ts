import {
  SchemaChecks,
  createApprovalMetrics,
  createKeyMetrics,
  loadConfig,
} from '@countersign/platform';
import { loadTrust } from '@countersign/protocol';
import { holdMetrics, keyMetrics, requestModule } from '@countersign/request';
import { deletionWorker } from '@countersign/request/workers/deletion';
import { expiryWorker } from '@countersign/request/workers/expiry';
import type { Assembly } from '../assembly.js';
import { offeredCapabilities, offeredProfiles } from '../configuration.js';
import {
  ISSUER,
  QUOTAS,
  SANDBOX,
  WEBHOOKS,
  hasQuotas,
  webhookRulesOf,
} from '../service-settings.js';
import type { ProcessContext } from '../process-context.js';
import { DELETION, WORKER } from '../worker-settings.js';

export const request: Assembly<ProcessContext> = {
  settings: [QUOTAS, WEBHOOKS, ISSUER, SANDBOX],
  async build(context) {
    const {
      config: { MODE: mode },
      env,
    } = context;
    const schemas = new SchemaChecks(context.bus);
    const saving = savingOf(context, 'request');
    const offered = offeredProfiles(context.config);
    keyMetrics(context.metrics, context.log, { pool: saving.pool, offered });
    return [
      requestModule(context.runtime('request'), {
        ...saving,
        checkSchema: (tenant, schemaText) =>
          schemas.check(tenant, { schemaText, responseText: null }),
        quotas: hasQuotas(env, mode),
        webhooks: webhookRulesOf(env, mode),
        issuer: loadConfig(ISSUER, env).OIDC_ISSUER,
        mode,
        trust: loadTrust(context.trust),
        offered,
        custody: 'proto.legal-hold' in offeredCapabilities(context.config),
        votes: createApprovalMetrics(context.metrics),
        keys: createKeyMetrics(context.metrics),
        sandboxOrigin: loadConfig(SANDBOX, env).SANDBOX_ORIGIN,
      }),
    ];
  },
};

export const expiry: Assembly<ProcessContext> = {
  settings: [WORKER],
  build: async (context) => [
    expiryWorker(await context.worker('worker-expiry'), savingOf(context, 'request')),
  ],
};

export const deletion: Assembly<ProcessContext> = {
  settings: [WORKER, DELETION],
  async build(context) {
    const config = loadConfig(DELETION, context.env);
    const runtime = await context.worker('worker-deletion');
    holdMetrics(context.metrics, context.log, context.pool('deletion'));
    // Due material is unreadable already: late deletion is better than slow calls.
    const settings = { ...runtime.settings, concurrency: config.DELETION_CONCURRENCY };
    return deletionWorker({ ...runtime, settings }, savingOf(context, 'deletion'), {
      perTenant: config.DELETION_PER_TENANT,
      intervalMs: config.HOUSEKEEPING_SECONDS * 1000,
      rows: config.HOUSEKEEPING_ROWS,
    });
  },
};

function savingOf(context: ProcessContext, role: 'request' | 'deletion') {
  return {
    pool: context.pool(role),
    notary: context.notary('request'),
    chained: context.hint('outbox'),
  };
}
