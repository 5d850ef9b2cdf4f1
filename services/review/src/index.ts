export { reviewModule } from './module.js';
export type { ReviewDeps } from './deps.js';
export { ReviewStore } from './store.js';
export * as reviewStatements from './store.js';
