import type { Module } from '@countersign/platform';
import { schemaModules as modules } from '@countersign/platform/schema-check';
import type { Linked } from '../linked.js';

export function schemaModules({ bus, log }: Linked): Module[] {
  return modules(bus, log);
}
