import type { ErrorCode } from '../errors.js';
import { Refusal } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import { analyseSchema, isClosedEmptyObject } from './check.js';

function codeOf(schema: JsonValue): ErrorCode | 'accepted' {
  try {
    analyseSchema(schema);
    return 'accepted';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
const list = <Item>(length: number, item: (i: number) => Item): Item[] =>
  Array.from({ length }, (_, i) => item(i));
const named = (length: number, item: (i: number) => JsonValue): JsonObject =>
  Object.fromEntries(list(length, (i) => [`n${i}`, item(i)]));
/** A schema whose deepest JSON value stands at that depth. */
function deep(depth: number): JsonValue {
  let schema: JsonValue = depth % 2 === 0 ? {} : { type: 'string' };
  for (let i = 0; i < Math.floor(depth / 2); i++) schema = { allOf: [schema] };
  return schema;
}
const own = (name: string, value: JsonValue): JsonObject => Object.fromEntries([[name, value]]);

describe('syntax nodes', () => {
  it('are 9999 at most', () => {
    // The root, `properties`, and one schema per name.
    expect(codeOf({ properties: named(9997, () => true) })).toBe('accepted');
    expect(codeOf({ properties: named(9998, () => true) })).toBe('schema_complexity');
    // The root, `required`, and its names.
    expect(codeOf({ required: list(9997, String) })).toBe('accepted');
    expect(codeOf({ required: list(9998, String) })).toBe('schema_complexity');
  });

  it('count an unused definition, and members that no rule knows', () => {
    expect(codeOf({ $defs: named(9998, () => true) })).toBe('schema_complexity');
    expect(codeOf({ unknown: list(9998, String) })).toBe('schema_complexity');
    expect(codeOf({ unknown: list(9997, String) })).toBe('invalid_response_schema');
  });

  it.each(['const', 'enum', 'default', 'examples'])('count the content of %s as one', (keyword) => {
    expect(analyseSchema({ [keyword]: list(20_000, String) }).nodes).toBe(2);
    expect(codeOf({ properties: { [keyword]: { required: list(9996, String) } } })).toBe(
      'schema_complexity',
    );
  });

  it('are counted value by value', () => {
    expect(
      analyseSchema({
        type: ['object', 'null'],
        properties: { a: { type: 'string' }, enum: { enum: [1, 2, 3] } },
        dependentRequired: { a: ['b', 'c'] },
        prefixItems: [true, {}],
      }).nodes,
      // root, type and two, properties, two and one each, dependentRequired, list and two, prefixItems and two
    ).toBe(1 + 3 + 5 + 4 + 3);
  });
});

describe('depth', () => {
  it('is 31 at most', () => {
    expect(codeOf(deep(30))).toBe('accepted');
    expect(codeOf(deep(31))).toBe('accepted');
    expect(codeOf(deep(32))).toBe('schema_complexity');
    expect(codeOf({ $defs: { a: deep(29) } })).toBe('accepted');
    expect(codeOf({ $defs: { a: deep(30) } })).toBe('schema_complexity');
  });

  it('leaves data out', () => {
    let data: JsonValue = 1;
    for (let i = 0; i < 60; i++) data = [data];
    expect(codeOf({ const: data, default: data, examples: [data] })).toBe('accepted');
    expect(codeOf({ required: data })).toBe('schema_complexity');
  });
});

describe('forbidden keywords', () => {
  const positions: [string, (schema: JsonObject) => JsonValue][] = [
    ['the root', (schema) => schema],
    ['properties', (schema) => ({ properties: { a: schema } })],
    ['a property called properties', (schema) => ({ properties: { properties: schema } })],
    ['$defs', (schema) => ({ $defs: { a: schema } })],
    ['definitions', (schema) => ({ definitions: { a: schema } })],
    ['dependentSchemas', (schema) => ({ dependentSchemas: { a: schema } })],
    ['dependencies', (schema) => ({ dependencies: { a: schema } })],
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map(
      (keyword): [string, (schema: JsonObject) => JsonValue] => [
        keyword,
        (schema) => ({ [keyword]: [true, schema] }),
      ],
    ),
    ...[
      ...['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties'],
      ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
    ].map((keyword): [string, (schema: JsonObject) => JsonValue] => [
      keyword,
      (schema) => ({ [keyword]: schema }),
    ]),
  ];
  it.each(positions)('are found in %s', (_, place) => {
    for (const keyword of ['$id', '$dynamicRef', '$recursiveRef', '$async']) {
      expect(codeOf(place({ [keyword]: 'x' }))).toBe('unsupported_schema_reference');
    }
    for (const keyword of ['pattern', 'patternProperties', 'format']) {
      expect(codeOf(place({ [keyword]: 'x' }))).toBe('unsupported_schema_keyword');
    }
    for (const ref of ['#', '', 'a', '#a', 'https://a.example/#/a', '/a', 7, null, {}, ['#/a']]) {
      expect(codeOf(place({ $ref: ref }))).toBe('remote_schema_reference');
    }
    for (const keyword of ['unknown', 'nullable', 'id', 'additionalItems', 'constructor']) {
      expect(codeOf(place({ [keyword]: true }))).toBe('invalid_response_schema');
    }
    expect(codeOf(place(own('__proto__', {})))).toBe('invalid_response_schema');
    expect(codeOf(place({ type: 'string' }))).toBe('accepted');
  });

  it.each(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependentRequired'])(
    'are names like any other in %s',
    (keyword) => {
      const value: JsonValue = keyword === 'dependentRequired' ? ['a'] : { type: 'string' };
      for (const name of [
        '$id',
        '$ref',
        'format',
        'pattern',
        'const',
        'constructor',
        '',
        'a/b~c',
      ]) {
        expect(codeOf({ [keyword]: { [name]: value } })).toBe('accepted');
      }
    },
  );

  it.each(['const', 'enum', 'default', 'examples'])('are data in %s', (keyword) => {
    expect(codeOf({ [keyword]: [{ $ref: 'x', $id: 'y', format: 'z', unknown: 1 }] })).toBe(
      'accepted',
    );
  });

  it('are answered for in the order of the table', () => {
    const [id, remote, format] = [{ $id: 'a' }, { $ref: 'a' }, { format: 'a' }];
    const dangling = { $ref: '#/a' };
    const circle = { $defs: { a: { $ref: '#/$defs/a' } } };
    const unknown = { unknown: 1 };
    expect(codeOf({ allOf: [unknown, circle, dangling, format, remote, id] })).toBe(
      'unsupported_schema_reference',
    );
    expect(codeOf({ allOf: [unknown, dangling, format, remote] })).toBe('remote_schema_reference');
    expect(codeOf({ allOf: [unknown, dangling, format] })).toBe('unsupported_schema_keyword');
    expect(codeOf({ ...circle, ...dangling })).toBe('invalid_response_schema');
    expect(codeOf({ ...circle, ...unknown })).toBe('schema_reference_cycle');
    expect(codeOf({ ...id, required: list(9998, String) })).toBe('schema_complexity');
  });

  it('do not include a name that the compiler would pass over', () => {
    expect(codeOf({ properties: own('__proto__', {}) })).toBe('invalid_response_schema');
    expect(codeOf({ dependencies: own('__proto__', {}) })).toBe('invalid_response_schema');
    expect(codeOf({ $defs: own('__proto__', {}), $ref: '#/$defs/__proto__' })).toBe('accepted');
  });
});

describe('the dialect', () => {
  it('is 2020-12', () => {
    expect(codeOf({ $schema: 'https://json-schema.org/draft/2020-12/schema' })).toBe('accepted');
    for (const $schema of [
      'http://json-schema.org/draft-07/schema#',
      'http://json-schema.org/schema',
      '',
      7,
    ]) {
      expect(codeOf({ $schema })).toBe('invalid_response_schema');
    }
  });

  it('knows schemas that are objects or booleans, and a root that is an object', () => {
    expect(codeOf({ not: true, items: false })).toBe('accepted');
    for (const schema of [true, false, null, 1, 'a', []]) {
      expect(codeOf(schema)).toBe('invalid_response_schema');
    }
    expect(codeOf({ items: [{}] })).toBe('invalid_response_schema');
    expect(codeOf({ not: 'a' })).toBe('invalid_response_schema');
    expect(codeOf({ properties: { a: null } })).toBe('invalid_response_schema');
  });
});

describe('references', () => {
  const $defs = {
    a: { type: 'string' },
    b: true,
    'x/y': {},
    'x~y': {},
    'x%y': {},
    'x%41': {},
    'é "q"': {},
    '': {},
    data: { default: { type: 'string' }, enum: [{}], properties: { p: {} }, allOf: [{}, {}] },
  };
  it.each([
    '#/$defs/a',
    '#/$defs/b',
    '#/%24defs/a',
    '#/$defs/%61',
    '#/$defs/x~1y',
    '#/$defs/x~0y',
    '#/$defs/x%7E0y',
    '#/$defs/x%25y',
    '#/$defs/x%2541',
    '#/$defs/%C3%A9%20%22q%22',
    '#/$defs/é "q"',
    '#/$defs/',
    '#/$defs/data/properties/p',
    '#/$defs/data/allOf/1',
  ])('lead to a schema: %s', ($ref) => {
    expect(codeOf({ $ref, $defs })).toBe('accepted');
  });

  it.each([
    '#/',
    '#/$defs',
    '#/$defs/c',
    '#/$defs/A',
    '#/$defs/x/y',
    '#/$defs/x%2Fy',
    '#/$defs/x~y',
    '#/$defs/x~2y',
    '#/$defs/x%y',
    '#/$defs/x%41',
    '#/$defs/%C3',
    '#/$defs/a/type',
    '#/$defs/data/default',
    '#/$defs/data/enum/0',
    '#/$defs/data/properties',
    '#/$defs/data/allOf',
    '#/$defs/data/allOf/2',
    '#/$defs/data/allOf/01',
    '#/$defs/data/allOf/-',
    '#/$defs/data/allOf/length',
    '#/$defs/constructor',
    '#/constructor/prototype',
    '#/$defs/__proto__',
    '#/$ref',
  ])('lead to none: %s', ($ref) => {
    expect(codeOf({ $ref, $defs })).toBe('invalid_response_schema');
    expect(codeOf({ $defs: { ...$defs, unused: { $ref } } })).toBe('invalid_response_schema');
  });

  it.each<[string, JsonValue]>([
    ['itself', { $defs: { a: { $ref: '#/$defs/a' } } }],
    ['each other', { $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/a' } } } }],
    ...['allOf', 'anyOf', 'oneOf'].map((keyword): [string, JsonValue] => [
      keyword,
      { $defs: { a: { [keyword]: [{}, { $ref: '#/$defs/a' }] } } },
    ]),
    ...['not', 'if', 'then', 'else'].map((keyword): [string, JsonValue] => [
      keyword,
      { $defs: { a: { [keyword]: { $ref: '#/$defs/a' } } } },
    ]),
    ...['dependentSchemas', 'dependencies'].map((keyword): [string, JsonValue] => [
      keyword,
      { $defs: { a: { [keyword]: { x: { $ref: '#/$defs/a' } } } } },
    ]),
    ['a schema around them', { properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } }],
  ])('do not lead in a circle through %s', (_, schema) => {
    expect(codeOf(schema)).toBe('schema_reference_cycle');
  });

  it.each<[string, JsonObject]>([
    ...['properties'].map((keyword): [string, JsonObject] => [
      keyword,
      { [keyword]: { next: { $ref: '#/$defs/a' } } },
    ]),
    ...[
      ...['items', 'contains', 'additionalProperties', 'propertyNames'],
      ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
    ].map((keyword): [string, JsonObject] => [keyword, { [keyword]: { $ref: '#/$defs/a' } }]),
    ['prefixItems', { prefixItems: [{ $ref: '#/$defs/a' }] }],
    ['$defs', { $defs: { b: { $ref: '#/$defs/a' } } }],
  ])('may come back deeper in the response, through %s', (_, a) => {
    expect(codeOf({ $ref: '#/$defs/a', $defs: { a } })).toBe('accepted');
  });

  it('may form long chains', () => {
    const $defs = named(3000, (i) => (i === 2999 ? {} : { $ref: `#/$defs/n${i + 1}` }));
    expect(codeOf({ $ref: '#/$defs/n0', $defs })).toBe('accepted');
  });
});

describe('work', () => {
  const work = (schema: JsonValue): number => analyseSchema(schema).work;

  it('counts every evaluation that keywords lead to', () => {
    expect(work({})).toBe(1);
    expect(work({ type: 'string', enum: ['a', 'b'] })).toBe(1);
    expect(work({ properties: { a: {}, b: true }, items: {}, not: {} })).toBe(5);
    expect(work({ $defs: { a: {}, b: {} } })).toBe(1);
    expect(work({ contentSchema: { not: {} } })).toBe(1);
  });

  it('counts a shared schema for each reference', () => {
    const $defs = { a: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }, b: {} };
    // root → two references → each a, its two references, and b twice
    expect(work({ anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs })).toBe(1 + 2 * 6);
  });

  it('follows recursion down to instance level 64', () => {
    const node = { properties: { next: { $ref: '#/$defs/node' } } };
    // one for the root; on each of the levels 0 to 64 the node; on 1 to 64 the property before it
    expect(work({ $ref: '#/$defs/node', $defs: { node } })).toBe(1 + 65 + 64);
  });

  it('is 10000 at most', () => {
    const schema = (references: number, size: number): JsonValue => ({
      allOf: list(references, () => ({ $ref: '#/$defs/a' })),
      $defs: { a: { allOf: list(size, () => true) } },
    });
    expect(work(schema(99, 99))).toBe(10_000);
    expect(codeOf(schema(100, 98))).toBe('schema_complexity');
  });

  it('refuses references that double at every step', () => {
    const $defs = named(20, (i) =>
      i === 19 ? {} : { allOf: [{ $ref: `#/$defs/n${i + 1}` }, { $ref: `#/$defs/n${i + 1}` }] },
    );
    expect(codeOf({ $ref: '#/$defs/n0', $defs })).toBe('schema_complexity');
    const tree = { properties: { left: { $ref: '#/$defs/t' }, right: { $ref: '#/$defs/t' } } };
    expect(codeOf({ $ref: '#/$defs/t', $defs: { t: tree } })).toBe('schema_complexity');
    expect(codeOf({ $defs: { ...$defs, t: tree } })).toBe('accepted');
  });

  it('takes no time to find', () => {
    const $defs = named(1500, (i) =>
      i === 1499
        ? {}
        : {
            items: { $ref: `#/$defs/n${i + 1}` },
            contains: { $ref: `#/$defs/n${(i * 7) % 1500}` },
          },
    );
    const start = performance.now();
    expect(codeOf({ $ref: '#/$defs/n0', $defs })).toBe('schema_complexity');
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('a closed object without properties', () => {
  it.each<[JsonValue, boolean]>([
    [{ type: 'object', additionalProperties: false }, true],
    [{ type: 'object', additionalProperties: false, properties: {}, title: 'Approve' }, true],
    [{ type: 'object', additionalProperties: false, properties: { note: {} } }, false],
    [{ type: 'object' }, false],
    [{ type: ['object', 'null'], additionalProperties: false }, false],
    [{ additionalProperties: false }, false],
    [{ type: 'object', additionalProperties: {} }, false],
    [{ type: 'object', properties: {} }, false],
    [{}, false],
    [false, false],
    [null, false],
  ])('%j: %p', (schema, expected) => {
    expect(isClosedEmptyObject(schema)).toBe(expected);
  });
});
