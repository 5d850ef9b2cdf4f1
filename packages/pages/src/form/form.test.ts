import { EMPTY_ON_PURPOSE, answerOf, emptyDraft } from './draft.js';
import { formOf } from './model.js';

const closed = (properties: object, required: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

describe('the form of a schema', () => {
  test('asks field by field', () => {
    const node = formOf(
      closed(
        {
          note: { type: 'string', maxLength: 50, title: 'A note', description: 'Why?' },
          amount: { type: 'number', minimum: 0 },
          sure: { type: 'boolean' },
          tone: { enum: ['right', 'wrong'] },
        },
        ['tone'],
      ),
    );
    expect(node).toMatchObject({
      kind: 'object',
      fields: [
        { name: 'tone', required: true, node: { kind: 'choice', options: ['right', 'wrong'] } },
        {
          name: 'note',
          title: 'A note',
          description: 'Why?',
          required: false,
          node: { kind: 'string', long: false },
        },
        { name: 'amount', node: { kind: 'number', integer: false, least: 0, most: null } },
        { name: 'sure', node: { kind: 'boolean' } },
      ],
    });
  });

  test.each([
    ['no type', {}],
    ['several types', { type: ['string', 'null'] }],
    ['members without names', { type: 'object', additionalProperties: { type: 'string' } }],
    ['a condition', { ...closed({ a: { type: 'string' } }), if: {}, then: {} }],
    ['a required member that has no schema', closed({}, ['a'])],
    ['true', true],
    ['a reference that leads nowhere', { $ref: '#/$defs/none' }],
    ['a reference to itself', { $ref: '#' }],
  ])('is JSON for %s', (_what, schema) => {
    expect(formOf(schema).kind).toBe('json');
  });

  test('follows references, and asks for JSON where a schema goes too deep', () => {
    const tree = closed({ name: { type: 'string' }, child: { $ref: '#' } });
    let node = formOf(tree);
    let depth = 0;
    while (node.kind === 'object') {
      node = node.fields.find(({ name }) => name === 'child')!.node;
      depth += 1;
    }
    expect([node.kind, depth]).toEqual(['json', 10]);
  });

  test('is JSON as a whole when there are too many fields', () => {
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_none, at) => [`f${at}`, { type: 'string' }]),
    );
    expect(formOf(closed(many)).kind).toBe('json');
  });

  test('offers shapes by their distinguishing parts', () => {
    const node = formOf({
      oneOf: [
        closed({ kind: { const: 'card' }, number: { type: 'string' } }),
        { ...closed({ iban: { type: 'string' } }), title: 'Bank' },
        { type: 'null' },
      ],
    });
    expect(node).toMatchObject({
      kind: 'variants',
      variants: [{ title: 'card' }, { title: 'Bank' }, { title: 'null' }],
    });
    expect(formOf({ anyOf: [{ const: 1 }, { const: 'two' }] })).toEqual({
      kind: 'choice',
      options: [1, 'two'],
    });
  });
});

describe('an answer', () => {
  const node = formOf(
    closed(
      {
        note: { type: 'string', minLength: 1 },
        amount: { type: 'integer' },
        list: { type: 'array', items: { type: 'number' } },
        inner: closed({ flag: { type: 'boolean' } }, ['flag']),
      },
      ['note', 'inner'],
    ),
  );

  test('begins without a preselected choice, and names missing parts', () => {
    const draft = emptyDraft(node);
    expect(draft).toEqual([null, [null], null, null]);
    expect(answerOf(node, draft).faults).toEqual([
      { place: '/note', code: 'missing' },
      { place: '/inner/flag', code: 'missing' },
    ]);
  });

  test.each([
    ['a text', { type: 'string' }],
    ['a text with a most', { type: 'string', maxLength: 10 }],
    ['a text asked for as JSON', { type: 'string', pattern: '^a' }],
    ['a text or nothing, asked for as JSON', { type: ['string', 'null'] }],
  ])('is not %s that is required and was left alone', (_what, schema) => {
    const one = formOf(
      closed({ text: schema, row: closed({ text: schema }, ['text']) }, ['text', 'row']),
    );
    expect(answerOf(one, emptyDraft(one)).faults).toEqual([
      { place: '/text', code: 'missing' },
      { place: '/row/text', code: 'missing' },
    ]);
    expect(answerOf(one, ['', ['']]).faults).toHaveLength(2);
  });

  test('is an empty text only on purpose, and only where the schema takes one', () => {
    const free = formOf(closed({ text: { type: 'string' } }, ['text']));
    expect(answerOf(free, [EMPTY_ON_PURPOSE])).toEqual({ response: { text: '' }, faults: [] });
    const bound = formOf(closed({ text: { type: 'string', minLength: 1 } }, ['text']));
    expect(answerOf(bound, [EMPTY_ON_PURPOSE]).faults).toHaveLength(1);
  });

  test('leaves out empty parts', () => {
    expect(answerOf(node, ['x', [false], '', null])).toEqual({
      response: { note: 'x', inner: { flag: false } },
      faults: [],
    });
  });

  test.each([
    ['12', 12],
    ['-3', -3],
    ['1.5', null],
    ['9007199254740993', null],
    ['0x10', null],
    ['', undefined],
  ])('reads the integer %j as %j', (text, value) => {
    const { response, faults } = answerOf(node, ['x', [true], text, null]);
    if (value === null) expect(faults).toEqual([{ place: '/amount', code: 'no_integer' }]);
    else expect((response as { amount?: number }).amount).toBe(value);
  });

  test('says at once that a text is too long, or a number out of range', () => {
    const bound = formOf(
      closed({
        note: { type: 'string', maxLength: 3 },
        score: { type: 'integer', minimum: 0, maximum: 100 },
      }),
    );
    const codes = (note: string, score: string) =>
      answerOf(bound, [note, score]).faults.map(({ place, code }) => `${place} ${code}`);
    // Code points count, not halves of them.
    expect(codes('👍👍👍', '100')).toEqual([]);
    expect(codes('abcd', '101')).toEqual(['/note too_long', '/score too_large']);
    expect(codes('', '-1')).toEqual(['/score too_small']);
  });

  test('keeps members with odd names', () => {
    const odd = formOf(
      JSON.parse(
        '{"type":"object","additionalProperties":false,"properties":{"__proto__":{"type":"string"}}}',
      ),
    );
    expect(JSON.stringify(answerOf(odd, ['x']).response)).toBe('{"__proto__":"x"}');
  });

  test('may be JSON', () => {
    const any = formOf({});
    expect(answerOf(any, emptyDraft(any))).toEqual({ response: null, faults: [] });
    expect(answerOf(any, '{').faults).toEqual([{ place: '', code: 'no_json' }]);
    expect(answerOf(any, '[1]').response).toEqual([1]);
  });
});

test('required fields come first in the order of their list, then the others by their titles', () => {
  const text = (title: string) => ({ type: 'string', title });
  const node = formOf({
    type: 'object',
    additionalProperties: false,
    required: ['verdict', 'approved_from'],
    properties: {
      a: text('Zebra'),
      approved_from: text('From'),
      b: text('Ant'),
      verdict: text('Verdict'),
    },
  });
  const titles = node.kind === 'object' ? node.fields.map(({ title }) => title) : [];
  expect(titles).toEqual(['Verdict', 'From', 'Ant', 'Zebra']);
});
