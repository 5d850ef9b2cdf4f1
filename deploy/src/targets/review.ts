import { Directory } from '@countersign/database';
import { SchemaWorkers } from '@countersign/platform';
import type { Module } from '@countersign/platform';
import { ReviewStore, reviewModule } from '@countersign/review';
import type { Shared } from '../shared.js';
import { schemaWorkersModule } from './schema-workers.js';

export function reviewModules(shared: Shared): Module[] {
  const pool = shared.pool('review');
  const schemas = new SchemaWorkers();
  return [
    schemaWorkersModule(schemas),
    reviewModule(shared.runtime, {
      store: new ReviewStore(pool),
      directory: new Directory(pool),
      notary: shared.notary('review'),
      schemas,
      chained: shared.hint('outbox'),
    }),
  ];
}
