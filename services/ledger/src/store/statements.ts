// Every statement of the role of the service, by its name.
export * from './index.js';
export * from './comparison.js';
export * from './custody.js';
export * from './lag.js';
export * from './metrics.js';
export * from './security.js';
export * from './security-reading.js';
export * from './tree.js';
