/** A body, or a value in a body, of protocol §2.1: as it is sent, and how it is read; null when it is refused. */
export type JsonCase = readonly [what: string, sent: string | Uint8Array, read: string | null];

const number = (sent: string, read: string | null = sent): JsonCase => [sent, sent, read];
const refused = (what: string, sent: string | Uint8Array): JsonCase => [what, sent, null];
/** A JSON string whose content is these bytes. */
const quoted = (...bytes: number[]) => new Uint8Array([0x22, ...bytes, 0x22]);

export const NUMBERS: readonly JsonCase[] = [
  number('0'),
  number('-0', '0'),
  number('-0.0', '0'),
  number('1.0', '1'),
  number('2.50', '2.5'),
  number('1e2', '100'),
  number('1E+2', '100'),
  number('0.1'),
  number('1e-7'),
  number('0.30000000000000004'),
  number('5e-324'),
  number('9007199254740991'),
  number('-9007199254740991'),
  number('9.007199254740991e15', '9007199254740991'),
  number('0.000000000000000000000000000000000001', '1e-36'),
  number('9007199254740992', null),
  number('-9007199254740992', null),
  number('9007199254740993', null),
  number('1e21', null),
  number('1e400', null),
  number('-1e400', null),
  number('1e-400', null),
  number('4e-324', null),
  number('0.100000000000000001', null),
  number('333333333.33333329', null),
  number('1.7976931348623157e308', null),
  number('0.1000000000000000055511151231257827', null),
];

export const GRAMMAR: readonly JsonCase[] = [
  ['every whitespace there is', ' \t\r\n[ 1 ,\n2 ]\t\r\n', '[1,2]'],
  ['escapes', '"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\"', '"A/\\b\\f\\n\\r\\t\\"\\\\"'],
  ['an escaped zero character', '"\\u0000"', '"\\u0000"'],
  ['line separators as they are', '"\u2028\u2029"', '"\u2028\u2029"'],
  ['null', 'null', 'null'],
  refused('a no-break space', '\u00a0{}'),
  refused('a vertical tab', '\v{}'),
  refused('a form feed', '{}\f'),
  refused('a zero-width space', '{}\u200b'),
  refused('a comma behind the last item', '[1,]'),
  refused('a comma behind the last member', '{"a":1,}'),
  refused('a comma before the first item', '[,1]'),
  refused('two commas', '[1,,2]'),
  refused('a comment', '{} // comment'),
  refused('a comment in between', '{"a":/* comment */1}'),
  refused('a hash comment', '# comment\n{}'),
  refused('trailing text', '{} {}'),
  refused('a trailing bracket', '[]]'),
  refused('an open object', '{"a":1'),
  refused('an open string', '"a'),
  refused('a member without a value', '{"a"}'),
  refused('a name without quotes', '{a:1}'),
  refused('single quotes', "{'a':1}"),
  refused('a raw line feed in a string', '"a\nb"'),
  refused('a raw tab in a string', '"a\tb"'),
  refused('a raw zero character in a string', '"a\0b"'),
  refused('an unknown escape', '"\\x41"'),
  refused('half an escape', '"\\u004"'),
  refused('a number with a leading zero', '01'),
  refused('a number with a plus', '+1'),
  refused('a number without an end', '1.'),
  refused('a number without a beginning', '.5'),
  refused('a number without an exponent', '1e'),
  refused('a number with underscores', '1_000'),
  refused('a hexadecimal number', '0x10'),
  refused('a minus alone', '-'),
  refused('NaN', 'NaN'),
  refused('Infinity', 'Infinity'),
  refused('undefined', 'undefined'),
  refused('True', 'True'),
];

export const ENCODING: readonly JsonCase[] = [
  ['a pair of surrogates', '"😀"', '"😀"'],
  ['an escaped pair of surrogates', '"\\ud83d\\ude00"', '"😀"'],
  ['a byte-order mark inside a string', '"\ufeff"', '"\ufeff"'],
  refused('an escaped high surrogate alone', '"\\ud83d"'),
  refused('an escaped low surrogate alone', '"\\ude00"'),
  refused('surrogates the wrong way round', '"\\ude00\\ud83d"'),
  refused('a surrogate before other text', '"\\ud83dx\\ude00"'),
  refused('a surrogate in a name', '{"\\ud83d":1}'),
  refused('an encoded surrogate', quoted(0xed, 0xa0, 0xbd)),
  refused('a pair of encoded surrogates', quoted(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)),
  refused('an overlong slash', quoted(0xc0, 0xaf)),
  refused('an overlong zero', quoted(0xc0, 0x80)),
  refused('a byte that no text has', quoted(0xff)),
  refused('a continuation alone', quoted(0x80)),
  refused('a sequence cut off', quoted(0xe2, 0x82)),
  refused('a character beyond the last', quoted(0xf4, 0x90, 0x80, 0x80)),
  refused('a letter of Latin-1', quoted(0xe9)),
];

export const KEYS: readonly JsonCase[] = [
  ['one name in two objects', '{"a":{"a":1},"b":[{"a":2}]}', '{"a":{"a":1},"b":[{"a":2}]}'],
  ['names that differ in form alone', '{"é":1,"e\u0301":2}', '{"e\u0301":2,"é":1}'],
  [
    'names that objects have',
    '{"__proto__":{"x":1},"constructor":1,"hasOwnProperty":2,"toString":3}',
    '{"__proto__":{"x":1},"constructor":1,"hasOwnProperty":2,"toString":3}',
  ],
  ['an empty name', '{"":1}', '{"":1}'],
  refused('one name twice', '{"a":1,"a":1}'),
  refused('one name in two spellings', '{"a":1,"\\u0061":2}'),
  refused('one name twice, deep inside', '{"x":[{"y":{"a":1,"b":2,"a":3}}]}'),
  refused('__proto__ twice', '{"__proto__":1,"__proto__":2}'),
  refused('an empty name twice', '{"":1,"":2}'),
];

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** As values at depth 1. */
export const DEPTH: readonly JsonCase[] = [
  ['a container at depth 64', nested(64), nested(64)],
  [
    'a value at depth 64',
    `${'['.repeat(63)}1${']'.repeat(63)}`,
    `${'['.repeat(63)}1${']'.repeat(63)}`,
  ],
  refused('a container at depth 65', nested(65)),
  refused('a value at depth 65', `${'['.repeat(64)}1${']'.repeat(64)}`),
  refused('objects to depth 65', `${'{"a":'.repeat(64)}1${'}'.repeat(64)}`),
  refused('a million brackets', nested(1_000_000)),
];

/** Whole bodies only. */
export const BODIES: readonly JsonCase[] = [
  refused('nothing', ''),
  refused('a space', ' '),
  refused('a byte-order mark', new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d])),
  refused('UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])),
  refused('UTF-16 without a mark', new Uint8Array([0x7b, 0, 0x7d, 0])),
  refused('gzip', new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])),
  refused('a form', 'a=1&b=2'),
  refused('a page', '<html></html>'),
];
