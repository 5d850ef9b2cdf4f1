export { reviewModule } from './module.js';
export type { ReviewDeps } from './deps.js';
export { ReviewStore } from './store/index.js';
export * as reviewStatements from './store/index.js';
