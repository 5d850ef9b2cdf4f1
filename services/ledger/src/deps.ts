import type { Directory, SecurityJournal, Traces } from '@countersign/database';
import type { Logger, Notary } from '@countersign/platform';
import type { LedgerStore } from './store/index.js';
import type { MetricsStore } from './store/metrics.js';
import type { SecurityStore } from './store/security.js';
import type { SecurityReadingStore } from './store/security-reading.js';
import type { TreeStore } from './store/tree.js';

export interface LedgerDeps {
  readonly store: LedgerStore;
  readonly metrics: MetricsStore;
  readonly tree: TreeStore;
  readonly security: SecurityStore;
  readonly reading: SecurityReadingStore;
  readonly directory: Directory;
  /** For the security log: exports, noted before they are answered. */
  readonly journal: SecurityJournal;
  readonly notary: Notary;
  readonly log: Logger;
  /** To which traces the records belong; null while tracing is off. */
  readonly traces: Traces | null;
  /** Milliseconds of a clock that never jumps, for pauses and intervals only. */
  readonly monotonicMs: () => number;
}

/** The hints that the chain's writer sends. */
export interface ChainDeps extends LedgerDeps {
  /** JSON text of the trust manifest, as it is configured. */
  readonly manifest: string;
  /** Hints, never awaited: a tenant has a new checkpoint; its chain has grown. */
  readonly checkpointed: (tenant: string) => void;
  readonly grown: (tenant: string) => void;
}
