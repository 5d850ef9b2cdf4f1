import type { ErrorCode } from '../errors.js';
import { Refusal } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import { analyseSchema } from './check.js';
import { compileChecked, createSchemaCompiler } from './compile.js';

const compiler = createSchemaCompiler();

function outcome(schema: JsonValue, response?: JsonValue): ErrorCode | 'accepted' {
  try {
    const compiled = compileChecked(analyseSchema(schema), compiler);
    if (response !== undefined) compiled.check(response);
    return 'accepted';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
const parsed = (text: string): JsonValue => JSON.parse(text) as JsonValue;
const fits = (schema: JsonValue, response: JsonValue): boolean => {
  const result = outcome(schema, response);
  expect(['accepted', 'response_schema_mismatch']).toContain(result);
  return result === 'accepted';
};

describe('a schema', () => {
  it.each<JsonObject>([
    { type: 'strin' },
    { type: [] },
    { minimum: '1' },
    { minLength: -1 },
    { multipleOf: 0 },
    { required: 'a' },
    { required: ['a', 'a'] },
    { allOf: [] },
    { allOf: {} },
    { properties: [] },
    { then: {} },
    { minContains: 1 },
    { $anchor: '1 2' },
    { $defs: { unused: { type: 'strin' } } },
    { items: { $anchor: 'a' }, contains: { $anchor: 'a', not: {} } },
    { $vocabulary: 1 },
  ])('refuses %j', (schema) => {
    expect(outcome(schema)).toBe('invalid_response_schema');
  });

  it.each<JsonObject>([
    {},
    { type: ['string', 'null'] },
    { properties: { a: {} }, required: ['a', 'b'] },
    { prefixItems: [{}, {}] },
    { $comment: 'c', title: 't', description: 'd', default: 1, examples: [1], deprecated: true },
    { readOnly: true, writeOnly: false, contentEncoding: 'base64', contentMediaType: 'a/b' },
    { $anchor: 'a', $dynamicAnchor: 'b' },
    { contentSchema: {} },
    { enum: [] },
  ])('accepts %j', (schema) => {
    expect(outcome(schema)).toBe('accepted');
  });

  it('applies the rules before it compiles', () => {
    expect(outcome({ format: 'date' })).toBe('unsupported_schema_keyword');
    expect(outcome({ $defs: { a: { $ref: '#/$defs/a' } } })).toBe('schema_reference_cycle');
  });

  it('leaves the schema as it was', () => {
    const schema = { $ref: '#/$defs/%61', $defs: { a: { type: 'string' } } };
    const before = JSON.stringify(schema);
    compileChecked(analyseSchema(schema), compiler);
    expect(JSON.stringify(schema)).toBe(before);
    expect(Object.isFrozen(schema)).toBe(false);
  });
});

describe('a response', () => {
  it('fits or does not', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['choice'],
      properties: {
        choice: { enum: ['accept', 'reject'] },
        note: { type: 'string', maxLength: 3 },
        score: { type: 'number', minimum: 0, maximum: 1 },
      },
    };
    expect(fits(schema, { choice: 'accept', note: '😀😀😀', score: 0.1 })).toBe(true);
    for (const response of [
      null,
      [],
      {},
      { choice: 'maybe' },
      { choice: 'accept', extra: 1 },
      { choice: 'accept', note: 'four' },
      { choice: 'accept', score: 1.1 },
    ]) {
      expect(fits(schema, response)).toBe(false);
    }
  });

  it('is frozen before it is checked', () => {
    const response = { a: [{ b: 1 }] };
    compileChecked(analyseSchema({}), compiler).check(response);
    expect(Object.isFrozen(response)).toBe(true);
    expect(Object.isFrozen(response.a[0])).toBe(true);
  });

  it('is at depth 64 at most', () => {
    const deep = (depth: number): JsonValue => {
      let value: JsonValue = 1;
      for (let i = 0; i < depth; i++) value = [value];
      return value;
    };
    expect(outcome({}, deep(64))).toBe('accepted');
    expect(outcome({}, deep(65))).toBe('response_complexity');
  });

  it('has so many nodes that with the work they make 5000000 at most', () => {
    const schema = { allOf: Array.from({ length: 999 }, () => true) };
    // A list and its items.
    expect(outcome(schema, Array<number>(4999).fill(0))).toBe('accepted');
    expect(outcome(schema, Array<number>(5000).fill(0))).toBe('response_complexity');
    expect(outcome({ type: 'string', ...schema }, Array<number>(5000).fill(0))).toBe(
      'response_complexity',
    );
  });

  it('may be recursive', () => {
    const node = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, children: { items: { $ref: '#/$defs/node' } } },
    };
    const schema = { $ref: '#/$defs/node', $defs: { node } };
    expect(fits(schema, { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] })).toBe(
      true,
    );
    expect(fits(schema, { name: 'a', children: [{ name: 'b', children: [{}] }] })).toBe(false);
  });
});

describe('references in any spelling lead where they were resolved', () => {
  const names = ['x/y', 'x~y', 'x%y', 'x%41', 'xA', 'x%2Fy', 'é "q"', '', '~1', 'a#b', 'a?b', '..'];
  it.each(names)('%j', (name) => {
    const $defs = Object.fromEntries(names.map((other) => [other, { const: other }]));
    const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1');
    for (const $ref of [
      `#/$defs/${encodeURIComponent(pointer)}`,
      `#/$defs%2F${encodeURIComponent(pointer)}`,
      `#/%24defs/${Buffer.from(pointer).toString('hex').replace(/../g, '%$&')}`,
    ]) {
      for (const other of names) expect(fits({ $ref, $defs }, other)).toBe(other === name);
    }
  });
});

describe('names that are keywords elsewhere', () => {
  const names = ['$id', '$ref', '$async', '$anchor', '$dynamicRef', 'pattern', 'format', 'id'];
  const places = ['$defs', 'definitions', 'properties', 'dependentSchemas', 'dependencies'];
  const cases = places.flatMap((place) => names.map((name): [string, string] => [place, name]));

  it.each(cases)('are names in %s: %s', (place, name) => {
    const named = { other: { const: 'other' }, [name]: { const: name } };
    for (const target of ['other', name]) {
      const schema = { allOf: [{ $ref: `#/${place}/${target}` }], [place]: named };
      for (const response of ['other', name]) {
        expect(fits(schema, response)).toBe(target === response);
        const inside = { items: { $ref: `#/items/${place}/${target}`, [place]: named } };
        if (place !== '$defs' && place !== 'definitions') continue;
        expect(fits(inside, [response])).toBe(target === response);
      }
    }
  });

  it('are properties and dependencies of the response', () => {
    const string = { type: 'string' };
    for (const name of names) {
      expect(fits({ properties: { [name]: string } }, { [name]: 'a' })).toBe(true);
      expect(fits({ properties: { [name]: string } }, { [name]: 1 })).toBe(false);
      expect(fits({ dependentSchemas: { [name]: { required: ['a'] } } }, { [name]: 1 })).toBe(
        false,
      );
    }
  });

  it('are found through each other', () => {
    const schema = {
      $ref: '#/$defs/$id',
      $defs: {
        $id: { items: { $ref: '#/$defs/found0' } },
        found0: { dependentSchemas: { $id: { required: ['a'] } } },
        last: { $ref: '#/$defs/found0/dependentSchemas/$id' },
      },
      definitions: { found0: false },
      properties: { a: { $ref: '#/$defs/last' } },
    };
    expect(fits(schema, [{ $id: 1, a: 2 }, { b: 1 }])).toBe(true);
    expect(fits(schema, [{ $id: 1 }])).toBe(false);
    expect(fits(schema, { a: {} })).toBe(false);
    expect(fits(schema, { a: { a: 1 } })).toBe(true);
  });
});

describe('names that prototypes have', () => {
  const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
  const having = (name: string, value: JsonValue): JsonObject =>
    Object.fromEntries([[name, value]]);

  it.each(names)('are required and counted like others: %s', (name) => {
    expect(fits({ required: [name] }, {})).toBe(false);
    expect(fits({ required: [name] }, having(name, 1))).toBe(true);
    expect(fits({ required: [name, ...Array.from({ length: 300 }, (_, i) => `n${i}`)] }, {})).toBe(
      false,
    );
    expect(fits({ additionalProperties: false }, having(name, 1))).toBe(false);
    expect(fits({ additionalProperties: { type: 'string' } }, having(name, 1))).toBe(false);
    expect(fits({ additionalProperties: { type: 'string' } }, having(name, 'a'))).toBe(true);
    expect(fits({ dependentRequired: having(name, ['b']) }, {})).toBe(true);
    expect(fits({ dependentRequired: having(name, ['b']) }, having(name, 1))).toBe(false);
    expect(fits({ dependentSchemas: having(name, false) }, {})).toBe(true);
    expect(fits({ dependentSchemas: having(name, false) }, having(name, 1))).toBe(false);
    expect(fits({ propertyNames: { maxLength: 2 } }, having(name, 1))).toBe(false);
    expect(fits({ maxProperties: 0 }, having(name, 1))).toBe(false);
    expect(fits({ unevaluatedProperties: false }, having(name, 1))).toBe(false);
  });

  it.each(names.slice(0, 4))('are properties like others: %s', (name) => {
    const schema = { properties: having(name, { type: 'string' }), additionalProperties: false };
    expect(fits(schema, {})).toBe(true);
    expect(fits(schema, having(name, 'a'))).toBe(true);
    expect(fits(schema, having(name, 1))).toBe(false);
  });

  it.each(names)('never pass as evaluated: %s', (name) => {
    const schema = {
      anyOf: [{ properties: { a: true }, required: ['a'] }, { required: ['b'] }],
      unevaluatedProperties: false,
    };
    expect(fits(schema, { a: 1 })).toBe(true);
    expect(fits(schema, { a: 1, ...having(name, 1) })).toBe(false);
    expect(
      fits(
        schema,
        Object.fromEntries([
          ['a', 1],
          [name, 1],
        ]),
      ),
    ).toBe(false);
    expect(
      fits(
        { properties: { c: schema } },
        {
          c: Object.fromEntries([
            ['a', 1],
            [name, 1],
          ]),
        },
      ),
    ).toBe(false);
  });

  it('are compared as data', () => {
    for (const name of names) {
      const value = having(name, { x: [1] });
      const other = having(name, { x: [2] });
      expect(fits({ const: value }, parsed(JSON.stringify(value)))).toBe(true);
      expect(fits({ const: value }, other)).toBe(false);
      expect(fits({ enum: [1, value] }, parsed(JSON.stringify(value)))).toBe(true);
      expect(fits({ enum: [1, value] }, other)).toBe(false);
      expect(fits({ uniqueItems: true }, [value, other])).toBe(true);
      expect(fits({ uniqueItems: true }, [value, parsed(JSON.stringify(value))])).toBe(false);
    }
    expect(fits({ uniqueItems: true, items: { type: 'string' } }, ['__proto__', '__proto__'])).toBe(
      false,
    );
  });
});

describe('keywords of our own making', () => {
  it('compare values in any order of members', () => {
    const constant = { a: 1, b: [{ c: null }, 'x'] };
    expect(fits({ const: constant }, { b: [{ c: null }, 'x'], a: 1 })).toBe(true);
    for (const response of [{ a: 1 }, { a: 1, b: {} }, { ...constant, c: 1 }, [], null, 'a']) {
      expect(fits({ const: constant }, response)).toBe(false);
    }
    expect(fits({ const: [] }, {})).toBe(false);
    expect(fits({ const: {} }, [])).toBe(false);
    expect(fits({ const: null }, null)).toBe(true);
    expect(fits({ const: 0 }, false)).toBe(false);
    expect(fits({ const: '1' }, 1)).toBe(false);
    expect(fits({ enum: [] }, null)).toBe(false);
    expect(fits({ enum: [[1], { a: [] }, 'a', null] }, { a: [] })).toBe(true);
    expect(fits({ enum: [[1], { a: [] }, 'a', null] }, [2])).toBe(false);
  });

  it('find equal items among many', () => {
    const items = Array.from({ length: 30_000 }, (_, i): JsonValue => ({ id: i, tags: ['a'] }));
    expect(fits({ uniqueItems: true }, items)).toBe(true);
    expect(fits({ uniqueItems: true }, [...items, { tags: ['a'], id: 7 }])).toBe(false);
    expect(fits({ uniqueItems: false }, [1, 1])).toBe(true);
    expect(fits({ uniqueItems: true }, [1, '1', true, null, 'true', [1], ['1']])).toBe(true);
    expect(fits({ uniqueItems: true }, 'aa')).toBe(true);
  });

  it('divide decimals as they are written', () => {
    expect(fits({ multipleOf: 0.01 }, 19.99)).toBe(true);
    expect(fits({ multipleOf: 0.01 }, 19.995)).toBe(false);
    expect(fits({ multipleOf: 3 }, 'a')).toBe(true);
    expect(fits({ type: 'integer', multipleOf: 3 }, 9)).toBe(true);
  });
});
