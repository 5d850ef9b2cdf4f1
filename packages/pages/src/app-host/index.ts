export { FAILURES } from './failures.js';
export type { AppFailure } from './failures.js';
export { mountApp } from './mount-app.js';
export type { AppOptions, MountedApp } from './mount-app.js';
