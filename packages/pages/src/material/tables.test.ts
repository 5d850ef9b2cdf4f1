import { tablesIn } from './tables.js';
import type { TablePage } from './tables.js';

const first = (payload: unknown) => tablesIn(payload)[0]!;
const column = ({ rows }: TablePage, at: number) => rows.map(({ cells }) => cells[at]?.text);

it('finds arrays of like objects, wherever they are', () => {
  const rows = [{ a: 1 }, { a: 2 }];
  const payload = {
    one: rows,
    deep: { er: rows },
    names: ['a', 'b'],
    mixed: [{ a: 1 }, 2],
    single: [{ a: 1 }],
  };
  expect(tablesIn(payload).map(({ head }) => head.path)).toEqual([['one'], ['deep', 'er']]);
  expect(tablesIn(rows).map(({ head }) => [head.path, head.rows])).toEqual([[[], 2]]);
});

it('is none where objects are not alike, or a later one has a member of its own', () => {
  expect(tablesIn([{ a: 1 }, { b: 1 }, { c: 1 }])).toEqual([]);
  const rows: object[] = Array.from({ length: 900 }, () => ({ a: 1 }));
  expect(tablesIn([...rows, { a: 1, hidden: true }])).toEqual([]);
});

it('sorts numbers as numbers, and puts what is missing last', () => {
  const table = first([{ n: 10, t: 'b' }, { n: 9, t: 'a' }, { t: 'c' }, { n: 100, t: 'a' }]);
  expect(column(table.page(0, 9, '', { column: 0, down: false }), 0)).toEqual([
    '9',
    '10',
    '100',
    '',
  ]);
  expect(table.page(0, 9, '', { column: 1, down: true }).rows.map(({ place }) => place)).toEqual([
    2, 0, 1, 3,
  ]);
});

it('adds up exactly, but no numbers that name something', () => {
  const table = first([
    { id: 1, amount: 0.1 },
    { id: 2, amount: 0.2 },
    { id: 3, amount: -1845.55 },
  ]);
  expect(table.page(0, 9, '', null).sums).toEqual([null, '-1845.25']);
  expect(table.page(0, 9, '0.', null).sums).toEqual([null, '0.3']);
});

it('searches all values, and shows the beginning of long ones', () => {
  const table = first([{ t: 'Nordwind' }, { t: `Brun\n${'x'.repeat(500)}` }]);
  const { rows, length } = table.page(0, 9, 'XXX', null);
  expect([length, rows[0]]).toEqual([
    1,
    { place: 1, cells: [{ text: 'Brun', hidden: 501, numeric: false }] },
  ]);
});

it('answers in time for 50,000 rows', () => {
  const table = first(
    Array.from({ length: 50_000 }, (_n, at) => ({ amount: at / 100, name: `row ${50_000 - at}` })),
  );
  const page = table.page(49_990, 20, '', { column: 1, down: false });
  expect([page.length, page.rows.length, page.sums]).toEqual([50_000, 10, ['12499750.00', null]]);
});
