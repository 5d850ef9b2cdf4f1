import { FIRST_VIEW, fragmentOf, inTab, readOf, viewOf } from './view.js';

test.each([
  ['#waiting', {}],
  ['#mine', { tab: 'mine' }],
  ['#decided?decision=refuse&by=others', { tab: 'decided', by: 'others', decision: 'refuse' }],
  [
    '#waiting?q=pay+%26+go&sort=newest&group=route&route=a%2Fb&at=x',
    { text: 'pay & go', sort: 'newest', group: 'route', route: 'a/b', at: 'x' },
  ],
] as const)('%s is a view', (fragment, changes) => {
  const view = { ...FIRST_VIEW, ...changes };
  expect(viewOf(fragment)).toEqual(view);
  expect(fragmentOf(view)).toBe(fragment);
});

test.each(['', '#', '#constructor', '#waiting?sort=__proto__&group=?&by=them'])(
  'of an unknown address %j the first view remains',
  (fragment) => {
    expect(viewOf(fragment)).toEqual(FIRST_VIEW);
  },
);

test('filters of decisions end with their tab', () => {
  const decided = { ...FIRST_VIEW, tab: 'decided', by: 'me', route: 'r' } as const;
  expect(inTab(decided, 'waiting')).toEqual({ ...FIRST_VIEW, route: 'r' });
});

test('words of a search are no part of the address that is read', () => {
  const view = { ...FIRST_VIEW, text: ' Größe  x ', route: 'r' };
  expect(readOf(view, { limit: 250 })).toEqual([
    '/inbox/data?tab=waiting&limit=250&sort=deadline&route=r',
    'Gr%C3%B6%C3%9Fe%20x',
  ]);
});
