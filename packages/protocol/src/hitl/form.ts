import { canonicalText } from '../json/canonical.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import { isJsonObject } from '../json/value.js';
import type { HitlFormField } from '../records/hitl.js';

type Field = Omit<HitlFormField, 'key' | 'label' | 'required' | 'hint' | 'default'>;
type Option = NonNullable<HitlFormField['options']>[number];

/** A text that may be longer is given more than one line. */
const LINE = 200;
const LABEL = 200;
/** A chain of references that leads further is left to the schema itself. */
const REFERENCES = 32;

/** For values that a form cannot ask for piece by piece: one value as JSON text, in a text area. */
const JSON_FIELD = 'x-json';

/**
 * A response schema as form fields (R19): one per property of an object, one for anything else. Fields help the program
 * that shows a form; the schema alone defines valid responses.
 */
export function hitlFormFields(schema: JsonValue): HitlFormField[] {
  const root = resolved(schema, schema);
  const properties = isJsonObject(root) ? propertiesOf(root) : null;
  if (!isJsonObject(root) || properties === null) {
    return [field(schema, 'response', titleOf(root) ?? 'Response', root, true)];
  }
  const required = new Set(Array.isArray(root['required']) ? root['required'] : []);
  const keys = keysFor(properties.map(([name]) => name));
  return properties.map(([name, property], place) => {
    const key = keys[place] as string;
    const part = resolved(schema, property);
    return field(schema, key, titleOf(part) ?? (name || key), part, required.has(name));
  });
}

/** The properties that an answer can have, when the schema asks for an object and says which. */
function propertiesOf(schema: JsonObject): [string, JsonValue][] | null {
  if (schema['type'] !== undefined && schema['type'] !== 'object') return null;
  if (!isJsonObject(schema['properties'])) return null;
  const possible = Object.entries(schema['properties']).filter(([, part]) => part !== false);
  return possible.length === 0 ? null : possible;
}

function field(
  root: JsonValue,
  key: string,
  label: string,
  schema: JsonValue,
  required: boolean,
): HitlFormField {
  const shape = shapeOf(root, schema);
  const hint = hintOf(schema, shape);
  return {
    key,
    label: [...label.slice(0, 2 * LABEL)].slice(0, LABEL).join(''),
    ...shape,
    // Where null will do, nothing has to be filled in.
    required: required && !allowsNull(schema),
    ...(hint === undefined ? {} : { hint }),
    ...(isJsonObject(schema) && schema['default'] !== undefined
      ? { default: schema['default'] }
      : {}),
  };
}

function shapeOf(root: JsonValue, schema: JsonValue): Field {
  if (!isJsonObject(schema)) return { type: JSON_FIELD };
  const options = optionsOf(schema);
  if (options !== null) return { type: 'select', options };
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'].map((value) => canonicalText(value));
    return { type: JSON_FIELD, options: values.map((value) => ({ value, label: value })) };
  }
  switch (typeOf(schema)) {
    case 'string': {
      const most = schema['maxLength'];
      const type = typeof most === 'number' && most <= LINE ? 'text' : 'textarea';
      return { type, ...validation({ minLength: schema['minLength'], maxLength: most }) };
    }
    case 'integer':
      return { type: 'number', ...validation(integerBounds(schema)) };
    case 'number':
      return { type: 'number', ...validation({ min: schema['minimum'], max: schema['maximum'] }) };
    case 'boolean':
      return { type: 'boolean' };
    case 'array': {
      const items = resolved(root, schema['items'] ?? true);
      const choices = isJsonObject(items) ? optionsOf(items) : null;
      return choices === null ? { type: JSON_FIELD } : { type: 'multiselect', options: choices };
    }
    default:
      return { type: JSON_FIELD };
  }
}

/** The one type besides null, or undefined. */
function typeOf({ type }: JsonObject): JsonValue | undefined {
  if (!Array.isArray(type)) return type;
  const types = type.filter((name) => name !== 'null');
  return types.length === 1 ? types[0] : undefined;
}

function allowsNull(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return schema === true;
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.includes(null);
  return Array.isArray(type) && type.includes('null');
}

/** A choice among strings: `enum`, `const`, or `oneOf`/`anyOf` of constants with titles. */
function optionsOf(schema: JsonObject): Option[] | null {
  const alternatives = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(alternatives)) {
    const options = alternatives.map((one) => (isJsonObject(one) ? optionOf(one) : null));
    return options.every((option) => option !== null) ? options : null;
  }
  const values = schema['const'] === undefined ? schema['enum'] : [schema['const']];
  if (!Array.isArray(values)) return null;
  const texts = values.filter((value) => value !== null);
  if (texts.length === 0 || !texts.every((value) => typeof value === 'string')) return null;
  return texts.map((value) => ({ value, label: value }));
}

function optionOf({ const: value, title }: JsonObject): Option | null {
  if (typeof value !== 'string') return null;
  return { value, label: typeof title === 'string' ? title : value };
}

/** Exclusive bounds of whole numbers as inclusive ones; those of decimals cannot be said in a field. */
function integerBounds(schema: JsonObject): { min: unknown; max: unknown } {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const lower = [minimum, above(exclusiveMinimum)].filter((bound) => typeof bound === 'number');
  const upper = [maximum, below(exclusiveMaximum)].filter((bound) => typeof bound === 'number');
  return {
    min: lower.length === 0 ? undefined : Math.max(...lower),
    max: upper.length === 0 ? undefined : Math.min(...upper),
  };
}

function above(bound: JsonValue | undefined): number | undefined {
  return typeof bound === 'number' ? Math.floor(bound) + 1 : undefined;
}

function below(bound: JsonValue | undefined): number | undefined {
  return typeof bound === 'number' ? Math.ceil(bound) - 1 : undefined;
}

/** The bounds that are there. */
function validation(bounds: Record<string, unknown>): Pick<Field, 'validation'> {
  const given = Object.entries(bounds).filter(([, bound]) => typeof bound === 'number');
  return given.length === 0 ? {} : { validation: Object.fromEntries(given) };
}

function titleOf(schema: JsonValue): string | undefined {
  const title = isJsonObject(schema) ? schema['title'] : undefined;
  return typeof title === 'string' && title !== '' ? title : undefined;
}

function hintOf(schema: JsonValue, shape: Field): string | undefined {
  const described = isJsonObject(schema) ? schema['description'] : undefined;
  if (typeof described === 'string' && described !== '') return described;
  return shape.type === JSON_FIELD ? 'A value in JSON' : undefined;
}

/**
 * Names as keys, which are letters, digits and underscores after a letter: a valid name stays, any other becomes one that
 * no property has.
 */
function keysFor(names: readonly string[]): string[] {
  const isKey = (name: string) => /^[a-zA-Z][a-zA-Z0-9_]*$/.test(name);
  const taken = new Set(names.filter(isKey));
  const numbers = new Map<string, number>();
  return names.map((name) => {
    if (isKey(name)) return name;
    const plain = name.replace(/[^a-zA-Z0-9_]/g, '_');
    const base = isKey(plain) ? plain : `field_${plain}`;
    let key = base;
    while (taken.has(key)) {
      const number = (numbers.get(base) ?? 1) + 1;
      numbers.set(base, number);
      key = `${base}_${number}`;
    }
    taken.add(key);
    return key;
  });
}

/** A schema with its reference followed; members beside the reference take precedence. */
function resolved(root: JsonValue, schema: JsonValue): JsonValue {
  let found = schema;
  for (let hops = 0; isJsonObject(found) && found['$ref'] !== undefined; hops += 1) {
    const { $ref: reference, ...beside } = found;
    const target = hops < REFERENCES ? at(root, reference as JsonValue) : undefined;
    if (target === undefined) return true;
    found = isJsonObject(target) ? { ...target, ...beside } : target;
  }
  return found;
}

/** The target of `#/…` (RFC 6901 in a URI fragment). */
function at(root: JsonValue, reference: JsonValue): JsonValue | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let found: JsonValue | undefined = root;
  for (const token of decodeURIComponent(reference.slice(2)).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) {
      return undefined;
    }
    found = (found as JsonObject)[name];
  }
  return found;
}
