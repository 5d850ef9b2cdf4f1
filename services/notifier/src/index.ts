export { notifierModule } from './module.js';
export type { NotifierDeps } from './module.js';
export { NotifierStore } from './store.js';
