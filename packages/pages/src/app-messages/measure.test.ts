import * as fc from 'fast-check';

import { faultOf } from './measure.js';

const wide = { bytes: 1_000_000, depth: 64 };

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let at = 0; at < depth; at++) value = [value];
  return value;
}

test('counts exactly the bytes of the JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 6 }), (given) => {
      const value: unknown = JSON.parse(JSON.stringify(given));
      const bytes = Buffer.byteLength(JSON.stringify(value));
      // The text of -0 is that of 0.
      expect(faultOf(value, { bytes, depth: 64 })).toBeNull();
      expect(faultOf(value, { bytes: bytes - 1, depth: 64 })).toBe('too_big');
    }),
    { seed: 7, numRuns: 500 },
  );
});

test.each(['\u0000', '\u001f', '\b\t\n\f\r', '"\\', 'é', '€', '😀', '\u2028', '\u007f'])(
  'counts %j as JSON writes it',
  (text) => {
    const bytes = Buffer.byteLength(JSON.stringify({ [text]: text }));
    expect(faultOf({ [text]: text }, { bytes, depth: 64 })).toBeNull();
    expect(faultOf({ [text]: text }, { bytes: bytes - 1, depth: 64 })).toBe('too_big');
  },
);

test('takes 64 levels and refuses 65', () => {
  expect(faultOf(nested(64), wide)).toBeNull();
  expect(faultOf(nested(65), wide)).toBe('too_deep');
});

const withHole = [1, 2, 3];
delete withHole[1];
const withProperty = Object.assign([1], { more: 2 });

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['undefined in an object', { a: undefined }],
  ['a hole', withHole],
  ['an array with properties', withProperty],
  ['NaN', NaN],
  ['infinity', -Infinity],
  ['a big integer', 1n],
  ['a date', new Date(0)],
  ['a map', new Map()],
  ['a set', new Set()],
  ['a buffer', new ArrayBuffer(8)],
  ['bytes', new Uint8Array(8)],
  ['an expression', /a/],
  ['an error', new Error('a')],
  ['a boxed string', new String('a')],
  ['a lone surrogate', 'a\ud800'],
  ['a lone surrogate as a key', { '\udc00': 1 }],
])('refuses %s', (_what, value) => {
  expect(faultOf(value, wide)).toBe('not_json');
});

test('takes objects without a prototype and members that are called __proto__', () => {
  const value = Object.assign(Object.create(null), { a: 1 });
  Object.defineProperty(value, '__proto__', { value: 1, enumerable: true });
  expect(faultOf(value, wide)).toBeNull();
});

test('ends at the bound, even where a few objects stand for much text', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  expect(faultOf(cycle, wide)).toBe('too_deep');
  // 2^60 numbers.
  let many: unknown = 0;
  for (let at = 0; at < 60; at++) many = [many, many];
  expect(faultOf(many, wide)).toBe('too_big');
  expect(faultOf(new Array(4_000_000_000), wide)).toBe('too_big');
  expect(faultOf('x'.repeat(50_000_000), wide)).toBe('too_big');
});
