import type { ScopedPool } from './pool.js';
import { acrossTenants, compile, statement, statements, valuesFor } from './statement.js';

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

it('knows whose rows a statement is about, and the tenant as its first parameter', () => {
  expect(statement('of-one', 'SELECT $1, :id')).toMatchObject({
    about: 'tenant',
    names: ['tenant', 'id'],
  });
  expect(statement('of-all', 'SELECT :id', { about: 'all' }).names).toEqual(['id']);
});

it('goes to the server only in the way that it says', () => {
  const said = { ...statement('x', 'SELECT 1', { pointQuery: true }), values: [] };
  const asks = (pool: ScopedPool) => [
    // @ts-expect-error: a statement that says whether it may share a batch is asked by `ask`.
    pool.query(said),
    // @ts-expect-error: not every statement may share a batch.
    pool.pointQuery(said),
  ];
  expect(asks).toHaveLength(1);
});

it('names the statements of a table after their keys', () => {
  const made = statements('tree', {
    newestHead: 'SELECT $1',
    behind: acrossTenants('SELECT :id'),
    tile: { pointQuery: true, text: 'SELECT $1, :id' },
  });
  expect(made).toEqual({
    newestHead: statement('tree.newest-head', 'SELECT $1'),
    behind: statement('tree.behind', 'SELECT :id', { about: 'all' }),
    tile: statement('tree.tile', 'SELECT $1, :id', { pointQuery: true }),
  });
});
