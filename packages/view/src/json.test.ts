import { deepFreeze, plainJson } from './json.js';

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

test('a copy equals a round trip through JSON', () => {
  const value = { at: new Date(0), none: undefined, list: [1, undefined], text: 'é😀' };
  expect(plainJson(value, 200, 5)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    list: [1, null],
    text: 'é😀',
  });
});

test('bytes are those of UTF-8', () => {
  expect(plainJson('é', 4, 1)).toBe('é');
  expect(() => plainJson('é', 3, 1)).toThrow(RangeError);
});

test('the root is at depth 0', () => {
  expect(plainJson(nested(3), 99, 2)).toEqual(nested(3));
  expect(() => plainJson(nested(4), 99, 2)).toThrow(RangeError);
});

test.each<[string, unknown]>([
  ['a function', { a: () => 1 }],
  ['a symbol', { a: Symbol('a') }],
  ['a big integer', { a: 1n }],
  ['half a character', { a: '\ud800' }],
  ['half a character as a name', { '\udc00': 1 }],
])('%s is no JSON', (_what, value) => {
  expect(() => plainJson(value, 999, 9)).toThrow(TypeError);
});

test('all of a value is frozen', () => {
  const value = deepFreeze({ a: [{ b: 1 }] });
  expect([value, value.a, value.a[0]].every(Object.isFrozen)).toBe(true);
});
