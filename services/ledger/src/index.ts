export { AnchorError } from './anchor/anchor-store.js';
export type { AnchorStore, CheckpointToAnchor } from './anchor/anchor-store.js';
export { FileAnchorStore } from './anchor/files.js';
export { anchorWorkerModule, ledgerModule } from './module.js';
export type { LedgerDeps } from './module.js';
export { LedgerStore } from './store.js';
export { MetricsStore } from './store/metrics.js';
