export { executionModule } from './module.js';
export type { ExecutionDeps } from './deps.js';
export { ExecutionStore } from './store/index.js';
export * as executionStatements from './store/index.js';
