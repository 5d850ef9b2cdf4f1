import fc from 'fast-check';
import { Refusal } from '../errors.js';
import { canonicalText } from './canonical.js';
import { parseStrictJson } from './strict-reader.js';

/** A second reading of contract §2.1, code point by code point, that makes the canonical form at once. */
function canonicalByHand(text: string): string | null {
  const points = Array.from(text);
  let at = 0;
  const fail = (): never => {
    throw new SyntaxError();
  };
  const skip = (): void => {
    while (at < points.length && ' \t\r\n'.includes(points[at] as string)) at++;
  };
  const expectPoint = (point: string): void => {
    if (points[at] !== point) fail();
    at++;
  };

  function value(depth: number): string {
    if (depth > 64) fail();
    skip();
    const start = points[at];
    if (start === '{') return object(depth);
    if (start === '[') return array(depth);
    if (start === '"') return quote(string());
    for (const word of ['true', 'false', 'null']) {
      if (points.slice(at, at + word.length).join('') === word) {
        at += word.length;
        return word;
      }
    }
    return number();
  }

  function object(depth: number): string {
    const members = new Map<string, string>();
    at++;
    skip();
    if (points[at] === '}') at++;
    else {
      for (;;) {
        skip();
        if (points[at] !== '"') fail();
        const key = string();
        if (members.has(key)) fail();
        skip();
        expectPoint(':');
        members.set(key, value(depth + 1));
        skip();
        if (points[at++] === '}') break;
        if (points[at - 1] !== ',') fail();
      }
    }
    const sorted = [...members].sort(([a], [b]) => compareUnits(a, b));
    return `{${sorted.map(([key, text]) => `${quote(key)}:${text}`).join(',')}}`;
  }

  function array(depth: number): string {
    const items: string[] = [];
    at++;
    skip();
    if (points[at] === ']') at++;
    else {
      for (;;) {
        items.push(value(depth + 1));
        skip();
        if (points[at++] === ']') break;
        if (points[at - 1] !== ',') fail();
      }
    }
    return `[${items.join(',')}]`;
  }

  function string(): string {
    let result = '';
    for (at++; points[at] !== '"'; at++) {
      const point = points[at] ?? fail();
      if (point < ' ') fail();
      if (point !== '\\') result += point;
      else {
        const escape = points[++at] ?? fail();
        const plain = '"\\/bfnrt'.indexOf(escape);
        if (escape === 'u') {
          const hex = points.slice(at + 1, at + 5).join('');
          if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail();
          result += String.fromCharCode(parseInt(hex, 16));
          at += 4;
        } else if (plain >= 0) result += '"\\/\b\f\n\r\t'[plain];
        else fail();
      }
    }
    at++;
    if (Array.from(result).some((point) => /^[\ud800-\udfff]$/.test(point))) fail();
    return result;
  }

  function number(): string {
    const match = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(points.slice(at).join(''));
    if (match === null) return fail();
    at += match[0].length;
    const parsed = Number(match[0]);
    const integral = Number.isInteger(parsed);
    if (!Number.isFinite(parsed) || (integral && Math.abs(parsed) > 2 ** 53 - 1)) fail();
    if (parsed === 0) return /^-?[0.]*(e|$)/i.test(match[0]) ? '0' : fail();
    const [a, b] = [fraction(match[0]), fraction(String(parsed))];
    if (a.top * b.bottom !== b.top * a.bottom) fail();
    return String(parsed);
  }

  try {
    const result = value(0);
    skip();
    return at === points.length && !text.startsWith('\uFEFF') ? result : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** For numbers other than 0, whose exponents stay small. */
function fraction(text: string): { top: bigint; bottom: bigint } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const power = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals);
  return power < 0
    ? { top: digits, bottom: 10n ** BigInt(-power) }
    : { top: digits * 10n ** BigInt(power), bottom: 1n };
}

function compareUnits(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
  }
  return a.length - b.length;
}

function quote(text: string): string {
  const short: Record<string, string> = {
    '\b': '\\b',
    '\t': '\\t',
    '\n': '\\n',
    '\f': '\\f',
    '\r': '\\r',
    '"': '\\"',
    '\\': '\\\\',
  };
  const escaped = text.split('').map((unit) => {
    if (unit >= ' ' && unit !== '"' && unit !== '\\') return unit;
    return short[unit] ?? `\\u00${unit.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped.join('')}"`;
}

function canonicalByReader(text: string): string | null {
  try {
    return canonicalText(parseStrictJson(Buffer.from(text)));
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return null;
  }
}

const spacing = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n ');
const stringText = fc
  .oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    { weight: 2, arbitrary: fc.constantFrom('__proto__', 'constructor', 'a', '1', '01', '') },
  )
  .chain((text) =>
    fc.boolean().map((escaped) =>
      escaped
        ? `"${text
            .split('')
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
            .join('')}"`
        : JSON.stringify(text),
    ),
  );
const numberText = fc.oneof(
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '-0',
    '1.0',
    '2.50',
    '1e2',
    '0.1',
    '1E-7',
    '9007199254740992',
    '1e400',
    '0e9',
    '0e912345678',
    '1e-912345678',
  ),
  fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,25})?([eE][+-]?\d{1,3})?$/),
);
const { document } = fc.letrec<{ document: string; value: string }>((tie) => ({
  document: tie('value'),
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 2, arbitrary: numberText },
    { weight: 2, arbitrary: stringText },
    { weight: 1, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}') },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.array(tie('value'), { maxLength: 5 }), spacing)
        .map(([items, space]) => `[${space}${items.join(`,${space}`)}${space}]`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.array(fc.tuple(stringText, tie('value')), { maxLength: 5 }), spacing)
        .map(
          ([members, space]) =>
            `{${members.map(([key, value]) => `${space}${key}${space}:${value}`).join(',')}}`,
        ),
    },
  ),
}));
const noise = fc.constantFrom(
  ...['"', '\\', '{', '}', '[', ']', ',', ':', '0', '9', '.', 'e', '-', '+', ' ', '\0', 'é', '😀'],
  ...['\\u', '\\ud800', '\\u0061', '"a":1,', '1,', '\uFEFF', 'null', '//'],
);

describe('the strict reader and the canonical form', () => {
  it('agree with a reading by hand', () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(canonicalByReader(text)).toBe(canonicalByHand(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('agree with it on damaged texts', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.nat(3), noise, (text, place, cut, insertion) => {
        const at = place % (text.length + 1);
        const damaged = Buffer.from(
          text.slice(0, at) + insertion + text.slice(at + cut),
        ).toString();
        expect(canonicalByReader(damaged)).toBe(canonicalByHand(damaged));
      }),
      { numRuns: 3000 },
    );
  });

  it('are idempotent', () => {
    fc.assert(
      fc.property(document, (text) => {
        const canonical = canonicalByReader(text);
        fc.pre(canonical !== null);
        expect(canonicalByReader(canonical as string)).toBe(canonical);
      }),
    );
  });
});
