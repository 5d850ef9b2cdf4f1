export { reviewModule } from './module.js';
export type { ReviewDeps } from './module.js';
export { ReviewStore } from './store.js';
