export { executionModule } from './module.js';
export type { ExecutionDeps } from './module.js';
export { ExecutionStore } from './store.js';
