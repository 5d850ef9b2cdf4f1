export { executionModule } from './module.js';
export type { ExecutionDeps } from './module.js';
export { ExecutionStore } from './store.js';
export { reconciliationWorker } from './workers/reconciliation.js';
