export { reviewModule } from './module.js';
export { waitingMetrics } from './waiting-metrics.js';
export * as reviewStatements from './store/index.js';
