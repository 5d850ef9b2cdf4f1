import type { Module, SchemaWorkers } from '@countersign/platform';

export function schemaWorkersModule(schemas: SchemaWorkers): Module {
  return {
    name: 'schema-workers',
    start: () => schemas.start(),
    stop: () => schemas.stop(),
  };
}
