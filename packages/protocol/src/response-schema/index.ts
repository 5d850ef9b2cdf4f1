export { isClosedEmptyObject } from './check.js';
export type { CompiledSchema } from './compile.js';
export { createSchemaCache, runSchemaJob } from './job.js';
export type { SchemaCache, SchemaJob, SchemaJobResult } from './job.js';
export { SCHEMA_LIMITS } from './limits.js';
