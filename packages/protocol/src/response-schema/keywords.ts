/**
 * How a schema hangs together, in the keywords of JSON Schema 2020-12.
 *
 * `in-place`: the subschema checks the same value. `child`: it checks a value one level deeper.
 * `none`: it checks nothing where it stands.
 */
export type Reach = 'in-place' | 'child' | 'none';

export type KeywordRole =
  | { readonly holds: 'schema' | 'schemas' | 'named-schemas'; readonly reach: Reach }
  /** Content that is not looked into and counts as one node (R31). */
  | { readonly holds: 'data' }
  /** Anything else: counted node by node. */
  | { readonly holds: 'setting' };

const inPlace = 'in-place';
const roles: Record<string, KeywordRole> = {
  allOf: { holds: 'schemas', reach: inPlace },
  anyOf: { holds: 'schemas', reach: inPlace },
  oneOf: { holds: 'schemas', reach: inPlace },
  not: { holds: 'schema', reach: inPlace },
  if: { holds: 'schema', reach: inPlace },
  then: { holds: 'schema', reach: inPlace },
  else: { holds: 'schema', reach: inPlace },
  dependentSchemas: { holds: 'named-schemas', reach: inPlace },
  // The metaschema still knows it; an array among its values is a list of names.
  dependencies: { holds: 'named-schemas', reach: inPlace },
  properties: { holds: 'named-schemas', reach: 'child' },
  additionalProperties: { holds: 'schema', reach: 'child' },
  unevaluatedProperties: { holds: 'schema', reach: 'child' },
  propertyNames: { holds: 'schema', reach: 'child' },
  prefixItems: { holds: 'schemas', reach: 'child' },
  items: { holds: 'schema', reach: 'child' },
  contains: { holds: 'schema', reach: 'child' },
  unevaluatedItems: { holds: 'schema', reach: 'child' },
  contentSchema: { holds: 'schema', reach: 'none' },
  $defs: { holds: 'named-schemas', reach: 'none' },
  definitions: { holds: 'named-schemas', reach: 'none' },
  const: { holds: 'data' },
  enum: { holds: 'data' },
  default: { holds: 'data' },
  examples: { holds: 'data' },
};
const settings = [
  ...['$schema', '$vocabulary', '$comment', '$anchor', '$dynamicAnchor', '$ref'],
  ...['type', 'required', 'dependentRequired'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'maxItems', 'minItems', 'uniqueItems'],
  ...['maxContains', 'minContains', 'maxProperties', 'minProperties'],
  ...['title', 'description', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType'],
];

/** Every keyword that a response schema may use; a Map, because names come from the caller. */
export const KEYWORDS: ReadonlyMap<string, KeywordRole> = new Map([
  ...Object.entries(roles),
  ...settings.map((name): [string, KeywordRole] => [name, { holds: 'setting' }]),
]);

/** 400 `unsupported_schema_reference`. */
export const FORBIDDEN_REFERENCES: ReadonlySet<string> = new Set([
  '$id',
  '$dynamicRef',
  '$recursiveRef',
  '$async',
]);

/** 400 `unsupported_schema_keyword`: a regular expression of the caller's could run for ever. */
export const FORBIDDEN_KEYWORDS: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'format',
]);

/** The one dialect; a fragment-less `#` at its end means the same. */
export const DIALECT = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
