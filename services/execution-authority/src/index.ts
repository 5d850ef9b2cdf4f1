export { executionModule } from './module.js';
export type { ExecutionDeps } from './deps.js';
export { ExecutionStore } from './store.js';
export { reconciliationWorker } from './workers/reconciliation.js';
export * as executionStatements from './store.js';
