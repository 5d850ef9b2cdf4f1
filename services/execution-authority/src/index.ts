export { executionModule } from './module.js';
export type { ExecutionOptions } from './deps.js';
export * as executionStatements from './store/index.js';
