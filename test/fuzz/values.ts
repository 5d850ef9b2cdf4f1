import fc from 'fast-check';
import type { JsonValue } from '@countersign/protocol';

/** A schema of the published description; references lead into its components. */
export type Schema = Record<string, any>;

/** Names that code written in haste treats as its own, and text that code points, bytes and units count differently. */
const oddWords = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  "'; --",
  '%00',
  '${x}',
  '../..',
  '<script>',
  '👩‍⚖️',
  'é',
  'e\u0301',
  '\u2028',
  '\ufeff',
  '\u202e',
  '\u0001',
  '\u0000',
];

export const word = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: fc.constantFrom(...oddWords) },
  { weight: 1, arbitrary: fc.nat(400).map((length) => 'x'.repeat(length)) },
);

/** Numbers that the JSON boundary accepts (protocol §2.1), its edges among them. */
export const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1, -1, 0.1, 1e-7, 5e-324, 2147483648, Number.MAX_SAFE_INTEGER),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }),
);

/** Any JSON value that the boundary accepts, seldom large. */
export const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; leaf: JsonValue }>(
  (tie) => ({
    leaf: fc.oneof(fc.constant(null), fc.boolean(), number, word) as fc.Arbitrary<JsonValue>,
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'json' },
      { weight: 3, arbitrary: tie('leaf') },
      { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'json' }) },
      {
        weight: 1,
        arbitrary: fc.dictionary(word, tie('value'), { maxKeys: 4, depthIdentifier: 'json' }),
      },
    ) as fc.Arbitrary<JsonValue>,
  }),
).value;

/**
 * Values that fit a schema of the description, by its types, choices, patterns and bounds. Rules that tie members together
 * (`if`, `allOf`) are left out: inputs that break them are as welcome here.
 */
export function valueOf(
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
): fc.Arbitrary<any> {
  const within = (part: Schema) => valueOf(part, components);
  if (typeof schema['$ref'] === 'string') {
    return within(components[schema['$ref'].split('/').at(-1) as string] as Schema);
  }
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...(schema['anyOf'] as Schema[]).map(within));
  switch (schema['type']) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return fc.integer({ min: schema['minimum'] ?? 0, max: schema['maximum'] ?? 2 ** 31 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(within(schema['items'] as Schema), { maxLength: 3 });
    case 'object':
      return objectOf(schema, within);
    default:
      return json;
  }
}

function textOf(schema: Schema): fc.Arbitrary<string> {
  if (schema['format'] === 'date-time') {
    const [min, max] = [new Date('1990-01-01'), new Date('2100-01-01')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  const min: number = schema['minLength'] ?? 0;
  const max: number = Math.min(schema['maxLength'] ?? 60, 60);
  if (typeof schema['pattern'] !== 'string') {
    return fc.string({ unit: 'binary', minLength: min, maxLength: Math.max(min, max) });
  }
  return fc
    .stringMatching(new RegExp(schema['pattern']))
    .filter((text) => text.length >= min && text.length <= (schema['maxLength'] ?? Infinity));
}

function objectOf(
  schema: Schema,
  within: (part: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, within(part)]),
  );
  const known = fc.record(members, { requiredKeys: (schema['required'] ?? []) as string[] });
  const others = schema['additionalProperties'];
  if (others === false) return known;
  const extra = fc.dictionary(word, typeof others === 'object' ? within(others) : json, {
    maxKeys: 2,
  });
  return fc.tuple(known, extra).map(([own, more]) => ({ ...more, ...own }));
}
