import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTimestamp } from '@countersign/protocol';
import { newValidator } from '../../support/ajv.js';

const ajv = newValidator({ strict: false, allErrors: true });
ajv.addFormat('date-time', isTimestamp);
ajv.addFormat('uri', (text: string) => URL.canParse(text));
ajv.addFormat('email', true);
for (const file of readdirSync(__dirname).filter((name) => name.endsWith('.schema.json'))) {
  ajv.addSchema(JSON.parse(readFileSync(join(__dirname, file), 'utf8')) as object);
}

export type PublicSchema = 'discovery-response' | 'form-field' | 'hitl-object' | 'poll-response';

/** Where and how a value breaks a public v0.8 schema; empty when it fits. */
export function publicFaults(name: PublicSchema, value: unknown): string[] {
  const judge = ajv.getSchema(`https://hitl-protocol.org/schemas/v0.8/${name}.json`);
  if (judge === undefined) throw new Error(`there is no public schema ${name}`);
  return judge(value)
    ? []
    : (judge.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
}
