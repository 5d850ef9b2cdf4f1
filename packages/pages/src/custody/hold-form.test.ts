import { faultOf, idsIn, untilOf } from './hold-form.js';

const ID = '01a21ec2-b098-7317-b126-9fe53942db70';
const OTHER = '01a21ec2-b09b-7e35-acad-8830d47d35b5';
const form = { reference: 'case 7', day: '2027-01-31', ids: ID, held: [], before: null };

it('finds the ids of requests in lists, addresses and sentences, each once', () => {
  expect(idsIn(`https://review.example/review/${ID}, ${OTHER.toUpperCase()} and ${ID}`)).toEqual([
    ID,
    OTHER,
  ]);
  expect(idsIn('none')).toEqual([]);
});

it('ends a hold with its day, and leaves an end on the same day as it is', () => {
  expect(untilOf('2027-01-31', null)).toBe('2027-01-31T23:59:59.999Z');
  expect(untilOf('2027-01-31', '2027-01-31T08:00:00.000Z')).toBe('2027-01-31T08:00:00.000Z');
});

it('takes a form that the service would take', () => {
  expect(faultOf(form)).toBeNull();
  expect(faultOf({ ...form, ids: '', held: [ID], before: '2027-01-31T08:00:00.000Z' })).toBeNull();
});

it.each([
  [{ reference: ' ' }, { field: 'reference', is: 'missing' }],
  [{ day: '' }, { field: 'until', is: 'missing' }],
  [{ before: '2027-02-01T00:00:00.000Z' }, { field: 'until', is: 'earlier' }],
  [{ ids: 'case 7' }, { field: 'requests', is: 'none' }],
  [
    {
      ids: Array.from(
        { length: 201 },
        (_, at) => `01a21ec2-b098-7317-b126-${String(at).padStart(12, '0')}`,
      ).join(' '),
    },
    { field: 'requests', is: 'many' },
  ],
])('says what is wrong with %j', (changes, fault) => {
  expect(faultOf({ ...form, ...changes })).toEqual(fault);
});
