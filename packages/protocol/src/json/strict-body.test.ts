import { Refusal } from '../errors.js';
import { parseStrictJson } from './strict-body.js';
import { BODY_BOUNDS } from './strict-reader.js';
import type { JsonValue } from './value.js';

function read(text: string): JsonValue {
  return parseStrictJson(Buffer.from(text));
}

function refused(body: string | Uint8Array): boolean {
  try {
    parseStrictJson(typeof body === 'string' ? Buffer.from(body) : body);
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    expect((error as Refusal).code).toBe('invalid_json');
    expect((error as Refusal).status).toBe(400);
    return true;
  }
}

const nested = (levels: number, inner = ''): string =>
  '['.repeat(levels) + inner + ']'.repeat(levels);

describe('numbers', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['-0.0', 0],
    ['-0e5', 0],
    ['0e999', 0],
    ['0.000', 0],
    ['1.0', 1],
    ['2.50', 2.5],
    ['1e2', 100],
    ['1E+2', 100],
    ['100e-2', 1],
    ['0.1', 0.1],
    ['-0.1', -0.1],
    ['1e-7', 1e-7],
    ['0.0000001', 1e-7],
    ['0.30000000000000004', 0.30000000000000004],
    ['0.300000000000000040', 0.30000000000000004],
    ['5e-324', 5e-324],
    ['1.5e300', undefined],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740991.000', 9007199254740991],
    ['9.007199254740991e15', 9007199254740991],
    ['4503599627370495.5', 4503599627370495.5],
  ])('reads %s', (text, value) => {
    if (value === undefined) expect(refused(text)).toBe(true);
    else expect(Object.is(read(text), value)).toBe(true);
  });

  it.each([
    '9007199254740992',
    '-9007199254740992',
    '9007199254740991.5',
    '9007199254740992.0',
    '9007199254740993',
    '1e16',
    '1e21',
    '1e400',
    '-1e400',
    '1e-400',
    '1e-324',
    '4.9e-324',
    '0.100000000000000001',
    '0.1000000000000000055511151231257827',
    '333333333.33333329',
    '1.7976931348623157e308',
    '1e99999999999999999999',
    '1e-99999999999999999999',
    '01',
    '-01',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '-',
    '--1',
    '1-2',
    '1.2.3',
    '0x10',
    'NaN',
    'Infinity',
    '-Infinity',
  ])('refuses %s', (text) => {
    expect(refused(text)).toBe(true);
    expect(refused(`{"a":[${text}]}`)).toBe(true);
  });

  it('reads -0 as 0 in any place', () => {
    expect(Object.is((read('[-0]') as number[])[0], 0)).toBe(true);
    expect(Object.is((read('{"a":-0.0}') as { a: number }).a, 0)).toBe(true);
    expect(Object.is((read('{"__proto__":-0}') as Record<string, number>)['__proto__'], 0)).toBe(
      true,
    );
  });

  it('checks long numbers by their value', () => {
    const zeros = '0'.repeat(100_000);
    expect(read(`1.${zeros}`)).toBe(1);
    expect(read(`0.${zeros}1e100001`)).toBe(1);
    expect(refused(`0.${zeros}1`)).toBe(true);
    expect(refused(`1${zeros}`)).toBe(true);
    expect(refused(`1.${zeros}1`)).toBe(true);
  });
});

describe('encoding', () => {
  it.each<[string, number[]]>([
    ['no bytes', []],
    ['a byte-order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ['a byte-order mark alone', [0xef, 0xbb, 0xbf]],
    ['a cut sequence', [0x22, 0xc3, 0x22]],
    ['a stray continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['a raw surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a pair of raw surrogates', [0x22, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0x22]],
    ['a code point above U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16', [0x22, 0x00, 0x61, 0x00, 0x22, 0x00]],
  ])('refuses %s', (_, bytes) => {
    expect(refused(Uint8Array.from(bytes))).toBe(true);
  });

  it('keeps code points above U+FFFF and a byte-order mark inside a string', () => {
    expect(read('"😀\uFEFF"')).toBe('😀\uFEFF');
    expect(read('"\\ud83d\\ude00"')).toBe('😀');
  });

  it.each(['"\\ud800"', '"\\uDC00"', '"\\ude00\\ud83d"', '"\\ud800x\\udc00"', '"😀\\ud83d"'])(
    'refuses the lone surrogate in %s as a value and as a key',
    (text) => {
      expect(refused(text)).toBe(true);
      expect(refused(`[[${text}]]`)).toBe(true);
      expect(refused(`{${text}:1}`)).toBe(true);
    },
  );

  it('reads a view of a larger buffer', () => {
    const bytes = new Uint8Array(Buffer.from('xx{"a":1.25e1}xx'));
    expect(parseStrictJson(bytes.subarray(2, 14))).toEqual({ a: 12.5 });
  });
});

describe('grammar', () => {
  it('takes only space, tab, CR and LF as whitespace', () => {
    expect(read(' \t\r\n{ "a" :\t[ 1 ,\n2 ] }\r')).toEqual({ a: [1, 2] });
    for (const space of ['\u00a0', '\u2028', '\u3000', '\v', '\f', '\0']) {
      expect(refused(`{"a":${space}1}`)).toBe(true);
    }
  });

  it.each([
    ' ',
    '[1,]',
    '{"a":1,}',
    '[,1]',
    '[1 2]',
    '{"a" 1}',
    '{"a"::1}',
    '{a:1}',
    "{'a':1}",
    '1 2',
    '{} x',
    '{}}',
    '[1}',
    '{"a":1]',
    '[',
    '{',
    '{"a"',
    '{"a":',
    '"abc',
    '"abc\\',
    '"abc\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\t"',
    '"\n"',
    '"\0"',
    '"\x1f"',
    '/* c */ 1',
    '1 // c',
    'tru',
    'TRUE',
    'undefined',
    '',
  ])('refuses %j', (text) => {
    expect(refused(text)).toBe(true);
  });

  it('takes any value as the whole body', () => {
    expect([read('null'), read('true'), read('""'), read('[]'), read('{}')]).toEqual([
      null,
      true,
      '',
      [],
      {},
    ]);
    expect(read('"\x7f\u2028 \\/\\b\\f\\n\\r\\t\\"\\\\"')).toBe('\x7f\u2028 /\b\f\n\r\t"\\');
  });
});

describe('keys', () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1,"c":2,"b":3}}',
    '[{"":1,"":2}]',
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
    '{"a":{"x":1},"a":{"y":1,"z":1}}',
    '{"a":1,"b":{"a":1},"a":{}}',
    '{"\\u00e9":1,"é":2}',
  ])('refuses the duplicate in %s', (text) => {
    expect(refused(text)).toBe(true);
  });

  it('takes one key in different objects, and keys that only look alike', () => {
    expect(read('[{"a":1},{"a":{"a":2}}]')).toEqual([{ a: 1 }, { a: { a: 2 } }]);
    expect(read('{"1":1,"01":2,"1.0":3}')).toEqual({ '1': 1, '01': 2, '1.0': 3 });
    // é composed and decomposed: nothing is normalised.
    expect(Object.keys(read('{"\u00e9":1,"e\u0301":2}') as object)).toHaveLength(2);
    expect(read('{"a:b":"c:{}[],:","d":":"}')).toEqual({ 'a:b': 'c:{}[],:', d: ':' });
  });

  it('makes own members of names that prototypes have', () => {
    const value = read('{"__proto__":{"x":1},"constructor":2,"toString":3}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('depth', () => {
  it('takes a value at depth 64 and refuses one at depth 65', () => {
    expect(refused(nested(65))).toBe(false);
    expect(refused(nested(66))).toBe(true);
    expect(refused(nested(64, '1'))).toBe(false);
    for (const inner of ['1', '"a"', 'null', 'true', '{}', '-1']) {
      expect(refused(nested(65, inner))).toBe(true);
    }
    expect(refused(nested(65, ' '))).toBe(false);
    expect(refused('{"a":'.repeat(64) + '1' + '}'.repeat(64))).toBe(false);
    expect(refused('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toBe(true);
    expect(refused('{"a":'.repeat(64) + '{}' + '}'.repeat(64))).toBe(false);
  });

  it('does not count brackets in strings, nor closed containers', () => {
    expect(read(`["${'['.repeat(500)}"]`)).toEqual(['['.repeat(500)]);
    expect(read(`[${'[],'.repeat(500)}[]]`)).toHaveLength(501);
  });

  it('refuses millions of brackets at once', () => {
    expect(refused('['.repeat(5_000_000))).toBe(true);
    expect(refused('{"a":'.repeat(1_000_000))).toBe(true);
  });
});

describe('bounds', () => {
  const codeWithin = (values: number, members: number, text: string): string => {
    try {
      parseStrictJson(Buffer.from(text), { depth: 64, values, members });
      return 'accepted';
    } catch (error) {
      return `${(error as Refusal).status} ${(error as Refusal).code}`;
    }
  };
  const tooLarge = '413 body_too_large';

  it.each<[string, number]>([
    ['1', 1],
    ['"a"', 1],
    ['[]', 1],
    ['{}', 1],
    ['[{},[],"a",-1.5e1,true,false,null]', 8],
    ['{"a":{"b":"c"},"d":[1]}', 5],
    ['{ "a" : "b:c,d" , "e" : [ "f" , { } ] }', 5],
    ['[[[1]],"\\\\",{"\\"":null}]', 7],
  ])('count every value of %s', (text, values) => {
    expect(codeWithin(values, 9, text)).toBe('accepted');
    expect(codeWithin(values - 1, 9, text)).toBe(tooLarge);
  });

  it('count the members of each object for itself', () => {
    const text = '[{"a":1,"b":{"c":1,"d":[{"e":1,"f":1}]}},{"g":1,"h":1}]';
    expect(codeWithin(99, 2, text)).toBe('accepted');
    for (const grown of ['"h":1,"i":1}]', '"h":{"i":1,"j":1,"k":1}}]']) {
      expect(codeWithin(99, 2, text.replace('"h":1}]', grown))).toBe(tooLarge);
    }
  });

  it('of a body are 500,000 values and 100,000 members of an object', () => {
    const { values, members } = BODY_BOUNDS;
    const list = (count: number) => `[${'1,'.repeat(count - 2)}1]`;
    const object = (count: number) =>
      `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(',')}}`;
    expect([values, members]).toEqual([500_000, 100_000]);
    expect(read(list(values))).toHaveLength(values - 1);
    expect(Object.keys(read(object(members)) as object)).toHaveLength(members);
    for (const text of [list(values + 1), object(members + 1)]) {
      expect(() => read(text)).toThrow(expect.objectContaining({ code: 'body_too_large' }));
    }
  });

  it('come before the grammar, so that no value is built of a text that breaks both', () => {
    expect(codeWithin(3, 9, '[1,2,3,')).toBe(tooLarge);
    expect(codeWithin(4, 9, '[1,2,3,')).toBe('400 invalid_json');
    expect(codeWithin(9, 1, '{"a":1,"b":')).toBe(tooLarge);
  });
});

describe('details', () => {
  it('name the rule and never quote the body', () => {
    for (const body of ['{"secret":1,"secret":2}', '{"secret"', '[1e400,"secret"]', '"\\ud800']) {
      try {
        read(body);
        throw new Error('read');
      } catch (error) {
        expect((error as Refusal).detail).toMatch(/\.$/);
        expect((error as Refusal).detail).not.toContain('secret');
        expect((error as Refusal).detail).not.toContain('e400');
        expect((error as Refusal).cause).toBeUndefined();
      }
    }
  });
});
