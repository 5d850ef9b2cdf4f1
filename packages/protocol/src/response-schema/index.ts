export { createSchemaCache, runSchemaJob } from './job.js';
export type { SchemaCache, SchemaJob, SchemaJobResult } from './job.js';
