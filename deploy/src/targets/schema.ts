import { schemaModules } from '@countersign/platform/schema-check';
import type { Assembly } from '../assembly.js';
import type { BusContext } from '../bus-context.js';

export const schema: Assembly<BusContext> = {
  settings: [],
  build: async ({ bus, log }) => schemaModules(bus, log),
};
