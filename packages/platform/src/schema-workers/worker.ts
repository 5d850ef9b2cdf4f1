import { parentPort } from 'node:worker_threads';
import { createSchemaCache, runSchemaJob } from '@countersign/protocol';
import type { SchemaJob } from '@countersign/protocol';

// Runs untrusted schemas, alone with its memory limit; knows nothing else.
const cache = createSchemaCache();

parentPort?.on('message', (job: SchemaJob) => {
  parentPort?.postMessage(runSchemaJob(job, cache));
});
