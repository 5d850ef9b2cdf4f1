import { Ajv2020 } from 'ajv/dist/2020.js';
import { Refusal } from '../errors.js';
import { canonicalText } from '../json/canonical.js';
import { isMultipleOf } from '../json/decimal.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import { isJsonObject, MAX_JSON_DEPTH } from '../json/value.js';
import type { CheckedSchema } from './check.js';
import { SCHEMA_LIMITS } from './limits.js';

export interface CompiledSchema {
  readonly work: number;
  /** @throws Refusal `response_complexity` or `response_schema_mismatch`; freezes the response */
  check(response: JsonValue): void;
}

/** Compiles schemas and caches them for as long as it lives. */
export type SchemaCompiler = Ajv2020;

/** Strict as the library ships it: unknown and ignored keywords are refused, style is not checked. */
export function createSchemaCompiler(): SchemaCompiler {
  const compiler = new Ajv2020({
    strictSchema: true,
    strictNumbers: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    // Otherwise {} has a member called `constructor`.
    ownProperties: true,
    // One function per schema: inlining would multiply the code by the number of references.
    inlineRefs: false,
    // Stopping at the first error nests each member's code in that of the one before it; that and
    // optimising take ten times as long on a schema of thousands of members.
    allErrors: true,
    code: { optimize: false },
    validateFormats: false,
    messages: false,
    addUsedSchema: false,
    logger: false,
  });
  // The library resolves anchors, yet its strict mode does not know the keyword.
  compiler.addKeyword('$anchor');
  // Ours, because the library compares objects by calling their members `constructor`, `valueOf` and
  // `toString`, compares items pair by pair, and divides decimals in binary.
  for (const keyword of ['const', 'enum', 'uniqueItems', 'multipleOf']) {
    compiler.removeKeyword(keyword);
  }
  compiler.addKeyword({
    keyword: 'const',
    errors: false,
    compile: (constant: JsonValue) => (value: JsonValue) => isSame(value, constant),
  });
  compiler.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    errors: false,
    compile: (choices: JsonValue[]) => {
      const scalars = new Set(choices.filter((choice) => !isContainer(choice)));
      const containers = choices.filter(isContainer);
      return (value: JsonValue) =>
        isContainer(value)
          ? containers.some((choice) => isSame(value, choice))
          : scalars.has(value);
    },
  });
  compiler.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    compile: (unique: boolean) => (items: JsonValue[]) =>
      !unique || new Set(items.map(canonicalText)).size === items.length,
  });
  compiler.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    errors: false,
    compile: (step: number) => (value: number) => isMultipleOf(value, step),
  });
  return compiler;
}

/**
 * Compiles a schema that `analyseSchema` has accepted.
 *
 * @throws Refusal `invalid_response_schema` for faults that only the compiler finds; `schema_resource_limit` when its stack
 *   does not suffice
 */
export function compileChecked(checked: CheckedSchema, compiler: SchemaCompiler): CompiledSchema {
  const { work } = checked;
  const validate = compile(compiler, compilableRoot(checked));
  return {
    work,
    check(response) {
      if (freeze(response, 0) * work > SCHEMA_LIMITS.responseWork) {
        throw new Refusal('response_complexity');
      }
      if (!validate(response)) throw new Refusal('response_schema_mismatch');
      // The compiler looks evaluated members up in a plain object, which "has" these.
      if (checked.usesUnevaluatedProperties && hasPrototypeName(response)) {
        throw new Refusal('response_schema_mismatch');
      }
    },
  };
}

function compile(compiler: SchemaCompiler, schema: JsonObject): (response: JsonValue) => boolean {
  try {
    const validate = compiler.compile(schema);
    return (response) => withinStack(() => validate(response));
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal('schema_resource_limit', { cause: error });
    throw new Refusal('invalid_response_schema', { cause: error });
  }
}

function withinStack(judge: () => boolean): boolean {
  try {
    return judge();
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal('schema_resource_limit', { cause: error });
    throw error;
  }
}

type References = CheckedSchema['references'];

/** Keywords whose members the library reads as names, and `$id` among them as a name too. */
const READ_AS_NAMES: ReadonlySet<string> = new Set(['properties', 'dependencies', 'definitions']);

/**
 * The schema as the library is given it. Anywhere else the library takes a definition called `$id` for the address of those
 * beside it, and finds none of them: the targets of references there are also put below `definitions`, and found there.
 */
function compilableRoot({ schema, references }: CheckedSchema): JsonObject {
  const { definitions = {} } = schema;
  const hidden = new Set([...references.values()].filter((way) => leadsPastId(schema, way)));
  if (hidden.size === 0 || !isJsonObject(definitions)) {
    return compilable(schema, references) as JsonObject;
  }
  let prefix = 'found';
  while (Object.keys(definitions).some((name) => name.startsWith(prefix))) prefix += '_';
  const names = new Map([...hidden].map((way, place) => [way, `${prefix}${place}`]));
  const found = [...references].map(([from, way]): [JsonObject, string] => {
    const name = names.get(way);
    return [from, name === undefined ? way : `#/definitions/${name}`];
  });
  const copy = compilable(schema, new Map(found)) as JsonObject;
  const more = [...names].map(([way, name]) => [name, stepsOf(copy, way).at(-1)?.value]);
  const copied = copy['definitions'] as JsonObject | undefined;
  const all = Object.freeze({ ...copied, ...Object.fromEntries(more) });
  return Object.freeze({ ...copy, definitions: all as JsonObject });
}

/** The steps of a reference, each with the name by which it is reached. */
function stepsOf(schema: JsonObject, way: string): { name: string; value: JsonValue }[] {
  let value: JsonValue = schema;
  const tokens = way.slice('#/'.length).split('/').map(decodeURIComponent);
  return tokens.map((token) => {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = memberOf(value as JsonObject, name);
    return { name, value };
  });
}

function leadsPastId(schema: JsonObject, way: string): boolean {
  return stepsOf(schema, way).some(
    ({ name, value }) =>
      !READ_AS_NAMES.has(name) && isJsonObject(value) && Object.hasOwn(value, '$id'),
  );
}

/** A frozen copy in which each reference has the spelling that it is resolved by. */
function compilable(value: JsonValue, references: References): JsonValue {
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item) => compilable(item, references))) as JsonValue;
  }
  if (!isJsonObject(value)) return value;
  const reference = references.get(value);
  // fromEntries makes own members of all names.
  return Object.freeze(
    Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        key === '$ref' && reference !== undefined ? reference : compilable(item, references),
      ]),
    ),
  );
}

/** Freezes a response and counts its nodes. */
function freeze(value: JsonValue, depth: number): number {
  if (depth > MAX_JSON_DEPTH) throw new Refusal('response_complexity');
  if (!isContainer(value)) return 1;
  let nodes = 1;
  for (const item of Object.values(value)) nodes += freeze(item, depth + 1);
  Object.freeze(value);
  return nodes;
}

function hasPrototypeName(value: JsonValue): boolean {
  if (!isContainer(value)) return false;
  if (!Array.isArray(value) && Object.keys(value).some((key) => key in Object.prototype)) {
    return true;
  }
  return Object.values(value).some(hasPrototypeName);
}

function isContainer(value: JsonValue): value is JsonValue[] | JsonObject {
  return typeof value === 'object' && value !== null;
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  if (!isContainer(a) || !isContainer(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(memberOf(a, key), memberOf(b, key)))
  );
}

function memberOf(container: JsonValue[] | JsonObject, key: string): JsonValue {
  return (container as JsonObject)[key] as JsonValue;
}
