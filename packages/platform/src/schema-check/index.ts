export { confined } from './confined.js';
export type { Confined } from './confined.js';
export { SCHEMA_CHECK_LIMITS } from './limits.js';
export type { SchemaCheckLimits } from './limits.js';
export { SchemaPool } from './pool.js';
export type { SchemaPoolMeters } from './pool.js';
export { schemaModules } from './serving.js';
