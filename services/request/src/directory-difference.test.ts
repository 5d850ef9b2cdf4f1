import { changedMembers, configDigest } from './directory-difference.js';

const route = { reviewers: ['a'], limits: { review_seconds: 1, grant_seconds: 2 } };

it('names added, changed and removed members, without values', () => {
  expect(changedMembers({ enabled: true, name: 'Ann' }, { enabled: true, operator: true })).toEqual(
    ['name', 'operator'],
  );
  expect(changedMembers(null, { enabled: true })).toEqual(['enabled']);
  expect(changedMembers({ a: [1, 2] }, { a: [2, 1] })).toEqual(['a']);
});

it('names limits one by one', () => {
  const after = { ...route, limits: { ...route.limits, review_seconds: 5 } };
  expect(changedMembers(route, after)).toEqual(['limits.review_seconds']);
});

it('finds nothing where only the order of members differs', () => {
  const { limits, reviewers } = route;
  expect(changedMembers(route, { limits, reviewers })).toEqual([]);
  expect(configDigest({ limits, reviewers })).toBe(configDigest(route));
  expect(configDigest(null)).toBeNull();
});
