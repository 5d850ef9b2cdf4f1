import { Directory, SecurityJournal } from '@countersign/database';
import type { Pool, Traces } from '@countersign/database';
import type { Logger, Notary } from '@countersign/platform';
import type { Trust } from '@countersign/protocol';
import { CustodyStore } from './store/custody.js';
import { LedgerStore } from './store/index.js';
import { MetricsStore } from './store/metrics.js';
import { SecurityReadingStore } from './store/security-reading.js';
import { SecurityStore } from './store/security.js';
import { TreeStore } from './store/tree.js';

export interface LedgerOptions {
  readonly pool: Pool;
  readonly notary: Notary;
  readonly log: Logger;
  /** To which traces the records belong; null while tracing is off. */
  readonly traces: Traces | null;
}

/** The hints that the chain's writer sends. */
export interface ChainOptions extends LedgerOptions {
  /** JSON text of the trust manifest, as it is configured. */
  readonly manifest: string;
  /** For signed texts that are read back. */
  readonly trust: Trust;
  /** Hints, never awaited: a tenant has a new checkpoint; its chain has grown. */
  readonly checkpointed: (tenant: string) => void;
  readonly grown: (tenant: string) => void;
}

export type LedgerDeps = ReturnType<typeof ledgerDeps<LedgerOptions>>;
export type ChainDeps = ReturnType<typeof ledgerDeps<ChainOptions>>;

export function ledgerDeps<Options extends LedgerOptions>(options: Options) {
  const { pool } = options;
  return {
    ...options,
    store: new LedgerStore(pool),
    custody: new CustodyStore(pool),
    metrics: new MetricsStore(pool),
    tree: new TreeStore(pool),
    security: new SecurityStore(pool),
    reading: new SecurityReadingStore(pool),
    directory: new Directory(pool),
    /** For the security log: exports, noted before they are answered. */
    journal: new SecurityJournal(pool),
  };
}
