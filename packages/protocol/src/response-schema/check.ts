import { Refusal } from '../errors.js';
import { isJsonObject } from '../json/value.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import type { SchemaStructure } from './structure.js';
import { schemaStructure } from './structure.js';
import { schemaWork } from './work.js';

export interface CheckedSchema extends SchemaStructure {
  readonly schema: JsonObject;
  readonly work: number;
}

/**
 * All rules of protocol §10 for a schema, short of compiling it, in the order of its table; `compileChecked` finds the rest.
 *
 * @throws Refusal `schema_complexity`, `unsupported_schema_reference`, `remote_schema_reference`,
 *   `unsupported_schema_keyword`, `schema_reference_cycle` or `invalid_response_schema`
 */
export function analyseSchema(schema: JsonValue): CheckedSchema {
  const structure = schemaStructure(schema);
  const work = schemaWork(structure.positions);
  if (structure.invalid || !isJsonObject(schema)) throw new Refusal('invalid_response_schema');
  return { ...structure, schema, work };
}

/** Whether the only response is `{}`, so that the human-in-the-loop type is `approval` (R31). */
export function isClosedEmptyObject(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return false;
  const properties = schema['properties'] ?? {};
  return (
    schema['type'] === 'object' &&
    schema['additionalProperties'] === false &&
    isJsonObject(properties) &&
    Object.keys(properties).length === 0
  );
}
