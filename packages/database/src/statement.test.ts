import { compile, valuesFor } from './statement.js';

it('numbers parameters in the order of their first use, behind those that come first', () => {
  const { text, names } = compile(
    `SELECT $1, :key, :at::timestamptz FROM x WHERE k = :key AND t = ':' || $2`,
    ['tenant', 'request_id'],
  );
  expect(text).toBe(`SELECT $1, $3, $4::timestamptz FROM x WHERE k = $3 AND t = ':' || $2`);
  expect(names).toEqual(['tenant', 'request_id', 'key', 'at']);
});

it('takes a cast for no parameter', () => {
  expect(compile('SELECT id::uuid, a::text[] FROM x')).toEqual({
    text: 'SELECT id::uuid, a::text[] FROM x',
    names: [],
  });
});

it('puts values into the order of their names', () => {
  expect(valuesFor(['a', 'b'], { b: null, a: 1 })).toEqual([1, null]);
});

it.each([
  ['no value for b', { a: 1 }],
  ['no value for b', { a: 1, b: undefined }],
  ['no place for c, d', { a: 1, b: 2, c: 3, d: 4 }],
])('refuses values with %s', (fault, values) => {
  expect(() => valuesFor(['a', 'b'], values)).toThrow(fault);
});
