import { differencesOf } from './differences.js';

it('names the members that move, and those of objects within', () => {
  const before = {
    reviewers: ['a', 'b'],
    limits: { review_seconds: 60, audit_seconds: 9 },
    name: 'x',
  };
  const after = {
    reviewers: ['b', 'c'],
    limits: { review_seconds: 30, audit_seconds: 9 },
    email: 'a@b',
  };
  expect(differencesOf(before, after)).toEqual([
    { member: 'reviewers', from: 'a, b', to: 'b, c' },
    { member: 'limits.review_seconds', from: '60', to: '30' },
    { member: 'email', from: null, to: 'a@b' },
    { member: 'name', from: 'x', to: null },
  ]);
});

it('does not count the order within a list', () => {
  expect(differencesOf({ modes: ['b', 'a'] }, { modes: ['a', 'b'] })).toEqual([]);
});

it('takes everything of a new one for added', () => {
  expect(differencesOf(null, { modes: [], enabled: true })).toEqual([
    { member: 'modes', from: null, to: '' },
    { member: 'enabled', from: null, to: 'true' },
  ]);
});
