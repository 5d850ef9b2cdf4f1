import { hitlFormFields } from './form.js';

const fieldsOf = (properties: Record<string, never> | object, required: string[] = []) =>
  hitlFormFields({ type: 'object', required, properties: properties as never });

describe('a form field', () => {
  test.each([
    [{ type: 'string' }, { type: 'textarea' }],
    [
      { type: 'string', maxLength: 200 },
      { type: 'text', validation: { maxLength: 200 } },
    ],
    [
      { type: 'string', minLength: 2, maxLength: 201 },
      { type: 'textarea', validation: { minLength: 2, maxLength: 201 } },
    ],
    [
      { type: 'boolean', default: true },
      { type: 'boolean', default: true },
    ],
    [
      { type: 'number', minimum: 0.5, maximum: 2 },
      { type: 'number', validation: { min: 0.5, max: 2 } },
    ],
    [{ type: 'number', exclusiveMinimum: 0 }, { type: 'number' }],
    [
      { type: 'integer', minimum: 3, exclusiveMinimum: 3, exclusiveMaximum: 9.5 },
      { type: 'number', validation: { min: 4, max: 9 } },
    ],
    [
      { type: 'string', enum: ['a'] },
      { type: 'select', options: [{ value: 'a', label: 'a' }] },
    ],
    [{ const: 'a' }, { type: 'select', options: [{ value: 'a', label: 'a' }] }],
    [
      { oneOf: [{ const: 'a', title: 'Yes' }, { const: 'b' }] },
      {
        type: 'select',
        options: [
          { value: 'a', label: 'Yes' },
          { value: 'b', label: 'b' },
        ],
      },
    ],
    [
      { type: 'array', items: { enum: ['a'] } },
      { type: 'multiselect', options: [{ value: 'a', label: 'a' }] },
    ],
    [
      { enum: [1, { a: 2 }] },
      {
        type: 'x-json',
        hint: 'A value in JSON',
        options: [
          { value: '1', label: '1' },
          { value: '{"a":2}', label: '{"a":2}' },
        ],
      },
    ],
    [{ type: 'object' }, { type: 'x-json', hint: 'A value in JSON' }],
    [
      { type: 'array', description: 'Rows' },
      { type: 'x-json', hint: 'Rows' },
    ],
    [{ anyOf: [{ type: 'string' }] }, { type: 'x-json', hint: 'A value in JSON' }],
    [{ type: ['string', 'number'] }, { type: 'x-json', hint: 'A value in JSON' }],
    [true, { type: 'x-json', hint: 'A value in JSON' }],
  ])('of %j', (property, field) => {
    expect(fieldsOf({ a: property })).toEqual([
      { key: 'a', label: 'a', required: false, ...field },
    ]);
  });

  test('is required when the object needs it and null will not do', () => {
    const fields = fieldsOf(
      {
        a: { type: 'string' },
        b: { type: ['string', 'null'] },
        c: { enum: ['x', null] },
        d: true,
        e: {},
      },
      ['a', 'b', 'c', 'd'],
    );
    expect(fields.map(({ key, required }) => [key, required])).toEqual([
      ['a', true],
      ['b', false],
      ['c', false],
      ['d', false],
      ['e', false],
    ]);
  });

  test('has the title as its label, in at most 200 characters', () => {
    const fields = fieldsOf({ a: { title: 'Amount' }, b: { title: '😀'.repeat(201) } });
    expect(fields.map(({ label }) => label)).toEqual(['Amount', '😀'.repeat(200)]);
  });

  test('has a key of its own, for any name of the property', () => {
    const names = ['x_y', 'x y', 'x-y', '1', '', 'field_', '__proto__', 'constructor'];
    const fields = fieldsOf(Object.fromEntries(names.map((name) => [name, true])));
    expect(Object.fromEntries(fields.map(({ key, label }) => [label, key]))).toEqual({
      x_y: 'x_y',
      'x y': 'x_y_2',
      'x-y': 'x_y_3',
      '1': 'field_1',
      field_: 'field_',
      field__2: 'field__2',
      ['__proto__']: 'field___proto__',
      constructor: 'constructor',
    });
  });
});

describe('a form', () => {
  test('follows references inside the document', () => {
    const schema = {
      $ref: '#/$defs/answer',
      $defs: {
        answer: { type: 'object', properties: { a: { $ref: '#/$defs/a~1b%20c', title: 'Own' } } },
        'a/b c': { type: 'boolean', title: 'Shared' },
      },
    };
    expect(hitlFormFields(schema)).toEqual([
      { key: 'a', label: 'Own', type: 'boolean', required: false },
    ]);
    const circular = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(hitlFormFields(circular)).toMatchObject([{ key: 'response', type: 'x-json' }]);
  });

  test('leaves out forbidden members', () => {
    expect(fieldsOf({ a: false, b: true }).map(({ key }) => key)).toEqual(['b']);
  });

  test.each([
    [
      { type: 'string', title: 'Why' },
      { label: 'Why', type: 'textarea', required: true },
    ],
    [{ type: 'object' }, { label: 'Response', type: 'x-json', required: true }],
    [
      { type: 'array', properties: { a: true } },
      { label: 'Response', type: 'x-json' },
    ],
    [
      { type: 'object', properties: { a: false } },
      { label: 'Response', type: 'x-json' },
    ],
    [{ enum: ['yes', 'no'] }, { label: 'Response', type: 'select' }],
  ])('of %j is one field', (schema, field) => {
    expect(hitlFormFields(schema as never)).toMatchObject([{ key: 'response', ...field }]);
  });
});
