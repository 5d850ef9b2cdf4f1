import { Deadlines, Directory, SecurityJournal } from '@countersign/database';
import { SchemaChecks, loadConfig } from '@countersign/platform';
import {
  BundleStore,
  CreationStore,
  DeletionStore,
  AdminStore,
  DirectoryStore,
  ExpiryStore,
  HousekeepingStore,
  FiguresStore,
  HistoryStore,
  InboxStore,
  ListStore,
  QUOTA_AMOUNTS,
  RequestStore,
  requestModule,
} from '@countersign/request';
import { deletionWorker } from '@countersign/request/workers/deletion';
import { expiryWorker } from '@countersign/request/workers/expiry';
import type { Assembly } from '../assembly.js';
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
    const pool = context.pool('request');
    const schemas = new SchemaChecks(context.bus);
    const amounts = hasQuotas(env, mode) ? QUOTA_AMOUNTS : null;
    return [
      requestModule(context.runtime('request'), {
        requests: new RequestStore(pool),
        lists: new ListStore(pool),
        inbox: new InboxStore(pool),
        histories: new HistoryStore(pool),
        figures: new FiguresStore(pool),
        admin: new AdminStore(pool),
        creations: new CreationStore(pool, amounts),
        bundles: new BundleStore(pool, amounts),
        configuration: new DirectoryStore(pool),
        directory: new Directory(pool),
        journal: new SecurityJournal(pool),
        pool,
        notary: context.notary('request'),
        checkSchema: (tenant, schemaText) =>
          schemas.check(tenant, { schemaText, responseText: null }),
        webhooks: webhookRulesOf(env, mode),
        issuer: loadConfig(ISSUER, env).OIDC_ISSUER,
        mode,
        sandboxOrigin: loadConfig(SANDBOX, env).SANDBOX_ORIGIN,
        chained: context.hint('outbox'),
      }),
    ];
  },
};

export const expiry: Assembly<ProcessContext> = {
  settings: [WORKER],
  async build(context) {
    const pool = context.pool('request');
    return [
      expiryWorker(await context.worker('worker-expiry'), {
        deadlines: new Deadlines(pool, ['review', 'grant']),
        store: new ExpiryStore(pool),
        pool,
        notary: context.notary('request'),
        chained: context.hint('outbox'),
      }),
    ];
  },
};

export const deletion: Assembly<ProcessContext> = {
  settings: [WORKER, DELETION],
  async build(context) {
    const config = loadConfig(DELETION, context.env);
    const pool = context.pool('deletion');
    const runtime = await context.worker('worker-deletion');
    // Due material is unreadable already: late deletion is better than slow calls.
    const settings = { ...runtime.settings, concurrency: config.DELETION_CONCURRENCY };
    return deletionWorker(
      { ...runtime, settings },
      {
        deadlines: new Deadlines(pool, ['private_deletion', 'audit_deletion']),
        store: new DeletionStore(pool),
        housekeeping: new HousekeepingStore(pool),
        pool,
        notary: context.notary('request'),
        chained: context.hint('outbox'),
        settings: {
          perTenant: config.DELETION_PER_TENANT,
          intervalMs: config.HOUSEKEEPING_SECONDS * 1000,
          rows: config.HOUSEKEEPING_ROWS,
        },
      },
    );
  },
};
