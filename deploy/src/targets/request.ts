import { Directory } from '@countersign/database';
import { SchemaWorkers } from '@countersign/platform';
import type { Module } from '@countersign/platform';
import {
  BundleStore,
  CreationStore,
  DirectoryStore,
  ListStore,
  QUOTA_AMOUNTS,
  RequestStore,
  rememberGood,
  requestModule,
} from '@countersign/request';
import { sandboxOriginPatternOf } from '../configuration.js';
import type { Shared } from '../shared.js';
import { schemaWorkersModule } from './schema-workers.js';

export function requestModules(shared: Shared): Module[] {
  const { config, env } = shared;
  const pool = shared.pool('request');
  const schemas = new SchemaWorkers();
  const amounts = config.QUOTAS === 'on' ? QUOTA_AMOUNTS : null;
  return [
    schemaWorkersModule(schemas),
    requestModule(shared.runtime, {
      requests: new RequestStore(pool),
      lists: new ListStore(pool),
      creations: new CreationStore(pool, amounts),
      bundles: new BundleStore(pool, amounts),
      configuration: new DirectoryStore(pool),
      directory: new Directory(pool),
      notary: shared.notary('request'),
      checkSchema: rememberGood((tenant, schemaText) =>
        schemas.check(tenant, { schemaText, responseText: null }),
      ),
      webhookHosts: config.WEBHOOK_HOSTS,
      mode: config.MODE,
      sandboxOrigin: sandboxOriginPatternOf(env),
      chained: shared.chained,
    }),
  ];
}
