import type { Batch, Marks } from './batch.js';
import { amountOf, answerOf, batchOf, centsOf, readable, totalsOf, unexplained } from './batch.js';

const payment = (id: string, amount: string) => ({
  id,
  payee: 'Ada',
  account: 'DE00',
  reference: 'R',
  amount,
  flags: [],
});
const batch: Batch = {
  batch: 'B-1',
  currency: 'EUR',
  due: '2026-12-01',
  debtor: { name: 'Shop', account: 'DE01' },
  payments: [payment('a', '0.10'), payment('b', '0.20'), payment('c', '1234567.89')],
};
const marks: Marks = new Map([
  ['b', { excluded: true, note: '  ' }],
  ['c', { excluded: false, note: ' large ' }],
]);

test('sums are exact', () => {
  expect(totalsOf(batch, new Map()).all).toBe('1234568.19');
  expect(totalsOf(batch, marks)).toEqual({
    all: '1234568.19',
    released: '1234567.99',
    excluded: '0.20',
    releasedCount: 2,
    excludedCount: 1,
  });
});

test.each(['0.00', '0.05', '-0.05', '-12.30', '999999999999999.99'])(
  '%s stays what it is',
  (amount) => {
    expect(amountOf(centsOf(amount) as bigint)).toBe(amount);
  },
);

test.each(['', '1', '1.5', '1,50', '1e2', ' 1.00', '1.000', 'NaN', '+1.00'])(
  '%j is no amount',
  (amount) => {
    expect(centsOf(amount)).toBeNull();
  },
);

test('thousands are apart', () => {
  expect(readable('1234567.89')).toBe('1\u202f234\u202f567.89');
  expect(readable('-123.45')).toBe('-123.45');
});

test('the answer names the excluded payments and every note', () => {
  expect(answerOf(batch, marks)).toEqual({
    released_total: '1234567.99',
    excluded: ['b'],
    notes: [{ payment: 'c', note: 'large' }],
  });
  expect(unexplained(batch, marks)).toEqual(['b']);
});

test('a payload that is no batch is not shown', () => {
  expect(batchOf(batch)).toBe(batch);
  for (const other of [
    null,
    'x',
    {},
    { ...batch, debtor: null },
    { ...batch, payments: {} },
    { ...batch, payments: [payment('a', '1')] },
    { ...batch, payments: [payment('a', '1.00'), payment('a', '2.00')] },
    { ...batch, payments: [{ ...payment('a', '1.00'), flags: 'x' }] },
  ]) {
    expect(batchOf(other)).toBeNull();
  }
});
