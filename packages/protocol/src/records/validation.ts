import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { Refusal, invalidRecordCode } from '../errors.js';
import { RECORDS } from './registry.js';
import type { RecordName, RecordOf } from './registry.js';
import { isTimestamp } from './timestamp.js';

// Tests hold our own schemas against the meta-schema: compiling it takes an eighth of the computing at the start of a
// process. Optimising the validators takes a third of compiling them, and makes them no faster.
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
  inlineRefs: false,
});
ajv.addFormat('date-time', isTimestamp);
ajv.addFormat('uri', (value: string) => URL.canParse(value));
// The patterns of the record say all there is to say of a UUID.
ajv.addFormat('uuid', true);

const nameOf = new Map<unknown, string>(
  Object.entries(RECORDS).map(([name, schema]) => [schema, name]),
);
const added = new Set<string>();

/**
 * Adds the schema of a record, with references where it holds other records: each is compiled once for all that hold it,
 * which takes half of the computing.
 */
function add(name: string, schema: object): void {
  if (added.has(name)) return;
  added.add(name);
  ajv.addSchema(mapped(schema), name);
}

function withReferences(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const name = nameOf.get(schema);
  if (name === undefined) return mapped(schema);
  add(name, schema);
  return { $ref: name };
}

function mapped(schema: object): object {
  if (Array.isArray(schema)) return schema.map(withReferences);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withReferences(value)]),
  );
}

const validators = new Map<RecordName, ValidateFunction>();

function validatorOf(name: RecordName): ValidateFunction {
  let validator = validators.get(name);
  if (validator === undefined) {
    add(name, RECORDS[name]);
    validator = ajv.getSchema(name)!;
    validators.set(name, validator);
  }
  return validator;
}

export function validate<Name extends RecordName>(
  name: Name,
  value: unknown,
): value is RecordOf<Name> {
  return validatorOf(name)(value);
}

/** The place and the fault, from the schema's words alone: never a value, and no long names of the sender. */
function describe(error: ErrorObject | undefined): string {
  if (error === undefined) return 'The value does not fit.';
  const where = error.instancePath === '' ? 'The body' : error.instancePath.slice(0, 200);
  return `${where} ${ruleOf(error)}.`;
}

function ruleOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'additionalProperties':
      return 'must not have unknown members';
    case 'required':
      return `must have the member ${String(params['missingProperty'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`;
    case 'minimum':
      return `must be at least ${String(params['limit'])}`;
    case 'minItems':
      return `must have at least ${String(params['limit'])} item(s)`;
    case 'false schema':
      return 'must be absent';
    default:
      return message ?? 'does not fit';
  }
}

/** The fault of a value as that record, in one sentence, or null when it is valid. */
export function faultOf(name: RecordName, value: unknown): string | null {
  const validator = validatorOf(name);
  return validator(value) ? null : describe(validator.errors?.[0]);
}

/** Refuses a value that is not that record, with the record's own code (protocol §6.1 step 7). */
export function assertRecord<Name extends RecordName>(
  name: Name,
  value: unknown,
): asserts value is RecordOf<Name> {
  const fault = faultOf(name, value);
  if (fault === null) return;
  const code = invalidRecordCode(name);
  // Only the sender of a body can do something about its faults; a damaged record is for the log.
  throw code.startsWith('invalid_')
    ? new Refusal(code, { detail: fault })
    : new Refusal(code, { cause: new Error(`not a valid ${name}: ${fault}`) });
}
