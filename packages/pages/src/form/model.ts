/** The parts of a response schema that a form can ask for. */
export type FormNode =
  | {
      readonly kind: 'string';
      readonly long: boolean;
      readonly minLength: number;
      readonly maxLength: number | null;
    }
  | {
      readonly kind: 'number';
      readonly integer: boolean;
      /** Inclusive. */
      readonly least: number | null;
      readonly most: number | null;
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly options: readonly unknown[] }
  | { readonly kind: 'object'; readonly fields: readonly FormField[] }
  | {
      readonly kind: 'list';
      readonly item: FormNode;
      readonly min: number;
      readonly max: number;
      /** Shown as one box for each choice. */
      readonly ticks: boolean;
    }
  | { readonly kind: 'variants'; readonly variants: readonly FormVariant[] }
  | { readonly kind: 'json'; readonly start: string };

export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly node: FormNode;
}

export interface FormVariant {
  readonly title: string;
  readonly node: FormNode;
}

type Schema = Readonly<Record<string, unknown>>;

const DEPTH = 9;
const FIELDS = 300;
const OPTIONS = 200;
const VARIANTS = 12;
const LONG = 120;
const TICKS = 15;

/** Words about the thing itself; everything else in a schema asks for something that a form must understand. */
const NOTES = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  '$schema',
  '$defs',
  'definitions',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
};

/** The form of a response schema. Parts that a form cannot ask for exactly are asked for as JSON, piece by piece. */
export function formOf(schema: unknown): FormNode {
  const budget = { fields: FIELDS };
  const node = nodeOf(schema, schema, 0, budget);
  return budget.fields < 0 ? plain(schema) : node;
}

function nodeOf(
  given: unknown,
  root: unknown,
  depth: number,
  budget: { fields: number },
): FormNode {
  const schema = resolved(given, root);
  if (schema === null || depth > DEPTH) return plain(given);
  const asked = Object.keys(schema).filter((key) => !NOTES.has(key));
  const only = (...keys: readonly string[]) => asked.every((key) => keys.includes(key));

  if (Array.isArray(schema['enum']) && only('enum', 'type')) return choice(schema['enum'], schema);
  if ('const' in schema && only('const', 'type')) return choice([schema['const']], schema);
  for (const either of ['oneOf', 'anyOf'] as const) {
    const options = schema[either];
    if (Array.isArray(options) && only(either))
      return variants(options, root, depth, budget, schema);
  }
  const type = schema['type'];
  if (type === 'null' && only('type')) return { kind: 'choice', options: [null] };
  if (typeof type !== 'string' || !only('type', ...(KNOWN[type] ?? []))) return plain(schema);
  switch (type) {
    case 'string': {
      const maxLength = numberIn(schema, 'maxLength');
      return {
        kind: 'string',
        long: maxLength === null || maxLength > LONG,
        minLength: numberIn(schema, 'minLength') ?? 0,
        maxLength,
      };
    }
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        integer: type === 'integer',
        least: numberIn(schema, 'minimum'),
        most: numberIn(schema, 'maximum'),
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return list(schema, root, depth, budget);
    case 'object':
      return object(schema, root, depth, budget);
    default:
      return plain(schema);
  }
}

function object(
  schema: Schema,
  root: unknown,
  depth: number,
  budget: { fields: number },
): FormNode {
  // Members without a declared name can only be given as JSON.
  const open = schema['additionalProperties'] !== false;
  const properties = Object.entries(objectIn(schema['properties']) ?? {});
  if (open && properties.length === 0) return plain(schema);
  if (typeof schema['additionalProperties'] === 'object') return plain(schema);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  if (required.some((name) => !properties.some(([known]) => known === name))) return plain(schema);
  budget.fields -= properties.length;
  if (budget.fields < 0) return plain(schema);
  return {
    kind: 'object',
    // The service keeps members in the order of their names, and the list of required ones in the producer's: these come
    // first, then the others by their titles.
    fields: properties
      .map(([name, of]) => ({
        name,
        title: wordIn(of, 'title') || name,
        description: wordIn(of, 'description'),
        required: required.includes(name),
        node: nodeOf(of, root, depth + 1, budget),
      }))
      .sort(
        (a, b) =>
          rankIn(required, a.name) - rankIn(required, b.name) || a.title.localeCompare(b.title),
      ),
  };
}

function rankIn(names: readonly unknown[], name: string): number {
  const place = names.indexOf(name);
  return place < 0 ? names.length : place;
}

function list(schema: Schema, root: unknown, depth: number, budget: { fields: number }): FormNode {
  if (!('items' in schema)) return plain(schema);
  budget.fields -= 1;
  const item = nodeOf(schema['items'], root, depth + 1, budget);
  return {
    kind: 'list',
    item,
    // Each at most once: boxes to tick.
    ticks: schema['uniqueItems'] === true && item.kind === 'choice' && item.options.length <= TICKS,
    min: numberIn(schema, 'minItems') ?? 0,
    max: numberIn(schema, 'maxItems') ?? Infinity,
  };
}

function choice(options: readonly unknown[], schema: Schema): FormNode {
  return options.length > 0 && options.length <= OPTIONS
    ? { kind: 'choice', options }
    : plain(schema);
}

function variants(
  options: readonly unknown[],
  root: unknown,
  depth: number,
  budget: { fields: number },
  schema: Schema,
): FormNode {
  if (options.length === 0 || options.length > VARIANTS) return plain(schema);
  budget.fields -= options.length;
  const made = options.map((option, at) => ({
    title: wordIn(option, 'title') || nameOf(resolved(option, root), at),
    node: nodeOf(option, root, depth + 1, budget),
  }));
  // A list of constants is one choice.
  const constants = made.map(({ node }) =>
    node.kind === 'choice' && node.options.length === 1 ? node.options : null,
  );
  const titled = options.some((option) => wordIn(option, 'title') !== '');
  if (!titled && constants.every((one) => one !== null)) {
    return { kind: 'choice', options: constants.map((one) => one?.[0]) };
  }
  return { kind: 'variants', variants: made };
}

/** The name of one of several shapes: the constant that tells it apart, its type, or its number. */
function nameOf(schema: Schema | null, at: number): string {
  const constant = Object.values(objectIn(schema?.['properties']) ?? {})
    .map((of) => objectIn(of)?.['const'])
    .find((value) => typeof value === 'string');
  if (typeof constant === 'string') return constant;
  const type = schema?.['type'];
  return typeof type === 'string' ? type : String(at + 1);
}

/** Follows `$ref`; only a schema that is nothing but a reference, and only within the document. */
function resolved(given: unknown, root: unknown): Schema | null {
  let schema = objectIn(given);
  for (let steps = 0; schema && typeof schema['$ref'] === 'string'; steps += 1) {
    if (steps > 16 || Object.keys(schema).some((key) => key !== '$ref' && !NOTES.has(key)))
      return null;
    schema = objectIn(at(root, schema['$ref']));
  }
  return schema;
}

function at(root: unknown, pointer: string): unknown {
  let value: unknown = root;
  for (const step of pointer.split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Schema)[name];
  }
  return value;
}

function plain(schema: unknown): FormNode {
  const type = objectIn(schema)?.['type'];
  const starts: Readonly<Record<string, string>> = { object: '{}', array: '[]' };
  if (typeof type === 'string') return { kind: 'json', start: starts[type] ?? '' };
  // A text that was left alone is not answered: nothing is written for it.
  return { kind: 'json', start: Array.isArray(type) && type.includes('string') ? '' : 'null' };
}

function objectIn(value: unknown): Schema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : null;
}

function wordIn(schema: unknown, name: string): string {
  const word = objectIn(schema)?.[name];
  return typeof word === 'string' ? word : '';
}

function numberIn(schema: Schema, name: string): number | null {
  const value = schema[name];
  return typeof value === 'number' ? value : null;
}
