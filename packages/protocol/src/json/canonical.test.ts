import { canonicalObject, canonicalText, textDigest, valueDigest } from './canonical.js';

describe('canonicalText', () => {
  it('writes the example of RFC 8785', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalText(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts keys by UTF-16 code units', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '10', '9', '😀', '\u0080', 'ö', '', 'Z', 'a'];
    const text = canonicalText(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(text) as object).sort()).toEqual([...keys].sort());
    expect([...text.matchAll(/"((?:[^"\\]|\\.)*)":/g)].map((match) => match[1])).toEqual([
      '',
      '\\r',
      '1',
      '10',
      '9',
      'Z',
      'a',
      '\u0080',
      'ö',
      '\u20ac',
      '😀',
      '\ufb33',
    ]);
  });

  it('writes ordered and unordered members alike', () => {
    const ordered = { A: [1e21, -0, '\u2028é\b'], a: { '': null, b: '\\ud800', c: [{}] }, b: 5e-7 };
    const turned = Object.fromEntries(Object.entries(ordered).reverse());
    expect(canonicalText(ordered)).toBe(canonicalText(turned));
    expect(canonicalText({ a: '\\ud800' })).toBe('{"a":"\\\\ud800"}');
  });

  it('writes -0 as 0', () => {
    expect(canonicalText([-0])).toBe('[0]');
  });

  it('treats names that prototypes have as any other', () => {
    const value: unknown = JSON.parse('{"toJSON":"x","constructor":1,"__proto__":{"b":2,"a":1}}');
    expect(canonicalText(value)).toBe('{"__proto__":{"a":1,"b":2},"constructor":1,"toJSON":"x"}');
  });

  it('writes a value that occurs twice', () => {
    const shared = { a: 1 };
    expect(canonicalText([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  it('takes objects without a prototype', () => {
    expect(canonicalText(Object.assign(Object.create(null) as object, { a: 1 }))).toBe('{"a":1}');
  });

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['an undefined element', [undefined]],
    ['a hole', new Array(1)],
    ['a function', () => 1],
    ['a function member', { a: () => 1 }],
    ['a symbol member', { a: Symbol('a') }],
    ['a big integer', [1n]],
    ['NaN', NaN],
    ['infinity', { a: -Infinity }],
    ['a date', new Date(0)],
    ['a map', { a: new Map() }],
    ['a buffer', Buffer.from('a')],
    ['a boxed string', new String('a')],
    ['toJSON as a method', { toJSON: () => 1 }],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', ['\udc00a']],
    ['a swapped pair', '\ude00\ud83d'],
    ['a lone surrogate in a key', { 'a\ud800': 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalText(value)).toThrow(TypeError);
  });
});

describe('canonicalObject', () => {
  it('equals the canonical form of the whole', () => {
    const whole = { b: [2, 1], a: { d: 1, c: 2 }, '\u00e9': null, __proto: 1 };
    const { a, ...rest } = whole;
    expect(canonicalObject(rest, { a: canonicalText(a) })).toBe(canonicalText(whole));
    expect(canonicalObject({}, {})).toBe('{}');
  });

  it('refuses a member that is given twice', () => {
    expect(() => canonicalObject({ a: 1 }, { a: '1' })).toThrow(TypeError);
  });
});

describe('digests', () => {
  it('are of the exact bytes of a text', () => {
    expect(textDigest('')).toBe(
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(textDigest('déjà')).not.toBe(textDigest('de\u0301ja\u0300'));
  });

  it('are of the canonical form of a value', () => {
    expect(valueDigest({ b: 1, a: 2 })).toBe(textDigest('{"a":2,"b":1}'));
  });
});
