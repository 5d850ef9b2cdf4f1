import { parentPort } from 'node:worker_threads';
// Not the whole of protocol: a worker that had to be replaced must be back soon.
import { createSchemaCache, runSchemaJob } from '@countersign/protocol/response-schema';
import type { SchemaJob } from '@countersign/protocol/response-schema';

// Runs untrusted schemas, alone with its memory limit; knows nothing else.
const cache = createSchemaCache();

parentPort?.on('message', (job: SchemaJob) => {
  parentPort?.postMessage(runSchemaJob(job, cache));
});
// Everything is loaded and the compiler has run once: the first real job finds it warm.
runSchemaJob({ schemaText: '{"type":"object"}', responseText: '{}' }, cache);
parentPort?.postMessage('ready');
