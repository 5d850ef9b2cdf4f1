import { schemaModules } from '@countersign/platform/schema-check';
import type { Assembly } from '../assembly.js';
import type { Linked } from '../linked.js';

export const schema: Assembly<Linked> = {
  settings: [],
  build: async ({ bus, log }) => schemaModules(bus, log),
};
