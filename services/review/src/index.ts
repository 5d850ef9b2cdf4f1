export { reviewModule } from './module.js';
export * as reviewStatements from './store/index.js';
