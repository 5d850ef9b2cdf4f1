// Not the whole of protocol: a process that had to be replaced must be back soon.
import { createSchemaCache, runSchemaJob } from '@countersign/protocol/response-schema';

// Runs untrusted schemas, alone with its memory limit; knows nothing else. A job is two lines, the schema and the response,
// which is empty when there is none; the answer is one line: `ok`, or the code of the refusal.
const cache = createSchemaCache();
let schemaText: string | null = null;
let unfinished = '';

function take(line: string): void {
  if (schemaText === null) {
    schemaText = line;
    return;
  }
  const result = runSchemaJob({ schemaText, responseText: line === '' ? null : line }, cache);
  schemaText = null;
  say(result.ok ? 'ok' : result.code);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  // Canonical JSON has no line ends; it may have U+2028, at which node:readline would end a line.
  const [first = '', ...others] = chunk.split('\n');
  unfinished += first;
  for (const next of others) {
    const line = unfinished;
    unfinished = next;
    take(line);
  }
});
// Everything is loaded and the compiler has run once: the first real job finds it warm.
runSchemaJob({ schemaText: '{"type":"object"}', responseText: '{}' }, cache);
say('ready');
