import type { ConfigurationShape, Module } from '@countersign/platform';

/** The assembly of a target from its process's services: the bus alone, or database, keys and queues too. */
export interface Assembly<Ground> {
  /** Variables that it reads, beside those that follow from its row of the table (settings.ts). */
  readonly settings: readonly ConfigurationShape[];
  build(ground: Ground): Promise<Module[]>;
}
