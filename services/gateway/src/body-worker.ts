import type { RecordName } from '@countersign/protocol';
import { answerJobs } from '@countersign/platform/body-job';

import { readInput } from './input.js';

// Reads the large bodies of callers, as the gateway's own thread reads small ones.
const utf8 = new TextEncoder();

answerJobs((input: RecordName | null, bytes) => {
  const text = utf8.encode(readInput(input, bytes));
  return { result: text, buffers: [text] };
});
