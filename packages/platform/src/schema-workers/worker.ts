import { parentPort } from 'node:worker_threads';
import { runSchemaJob } from '@countersign/protocol';
import type { CompiledSchemas, SchemaJob } from '@countersign/protocol';

// Runs untrusted schemas, alone with its memory limit; knows nothing else.
const compiled: CompiledSchemas = new Map();

parentPort?.on('message', (job: SchemaJob) => {
  parentPort?.postMessage(runSchemaJob(job, compiled));
});
