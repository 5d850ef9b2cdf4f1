import { DEFAULT_LIMITS } from '../constants.js';
import type { RouteConfig } from '../records/index.js';
import { configuredByAfter, configurers, partsOfPrincipal, partsOfRoute } from './configured-by.js';
import type { ConfiguredBy, Parts } from './configured-by.js';

const config: RouteConfig = {
  reviewers: ['ruth', 'ravi'],
  separation_of_duties: true,
  limits: DEFAULT_LIMITS,
  required_profiles: {},
  allowed_producers: ['bot'],
  modes: [],
};
const route = (changes: Partial<RouteConfig> = {}) => partsOfRoute({ ...config, ...changes });
const NOTHING = { parts: {}, by: {} };

const after = (parts: Parts, by: ConfiguredBy, next: Parts, author: string | null) =>
  configuredByAfter({ parts, by }, next, author);

describe('the authors of an entry', () => {
  it('is its author in all parts when it is new', () => {
    expect(configuredByAfter(NOTHING, route(), 'olive')).toEqual({
      rules: 'olive',
      producers: 'olive',
      reviewers: 'olive',
      'reviewer ruth': 'olive',
      'reviewer ravi': 'olive',
    });
  });

  it('is no person after a bearer operator', () => {
    expect(configuredByAfter(NOTHING, route(), null)).toEqual({});
    const by = { rules: 'olive', producers: 'oscar' };
    const limits = { ...DEFAULT_LIMITS, grant_seconds: 1 };
    expect(after(route(), by, route({ limits }), null)).toEqual({ producers: 'oscar' });
  });

  it('stays when a save alters nothing, in any order of its lists', () => {
    const by = { rules: 'olive', reviewers: 'oscar' };
    const same = route({ reviewers: ['ravi', 'ruth', 'ravi'] });
    expect(after(route(), by, same, 'oona')).toEqual(by);
  });

  it('changes only with the parts that change', () => {
    const by = configuredByAfter(NOTHING, route(), 'olive');
    const next = after(route(), by, route({ reviewers: ['ruth', 'rosa'] }), 'oona');
    expect(next).toEqual({
      rules: 'olive',
      producers: 'olive',
      reviewers: 'oona',
      'reviewer ruth': 'olive',
      'reviewer rosa': 'oona',
    });
  });

  it('is remembered for a member of a producer that is taken away', () => {
    const none = { token: null, webhook: null };
    const before = partsOfPrincipal({ enabled: true, routes: ['a'] }, none);
    expect(after(before, {}, partsOfPrincipal({ enabled: true }, none), 'olive')).toEqual({
      routes: 'olive',
    });
  });

  it('is separate for token, webhook secret and the members of a producer', () => {
    const config = { enabled: true, owner: 'olivia', routes: ['a'] };
    const before = partsOfPrincipal(config, { token: 'one', webhook: null });
    const token = partsOfPrincipal(config, { token: 'two', webhook: null });
    const secret = partsOfPrincipal(config, { token: 'one', webhook: 'given' });
    const owner = partsOfPrincipal({ ...config, owner: 'oscar' }, { token: 'one', webhook: null });
    expect(after(before, {}, token, 'olive')).toEqual({ token: 'olive' });
    expect(after(before, {}, secret, 'olive')).toEqual({ webhook_secret: 'olive' });
    expect(after(before, {}, owner, 'olive')).toEqual({ owner: 'olive' });
  });
});

it('counts changes of route and owner for a decision, and those of the owner for its use', () => {
  const of = [
    { rules: 'olive', reviewers: 'oona' },
    { token: 'oscar', owner: 'olive' },
  ] as const;
  expect(configurers('decide', ...of)).toEqual(['olive', 'oona', 'oscar']);
  expect(configurers('use', ...of)).toEqual(['oscar', 'olive']);
  expect(configurers('decide', {}, {})).toEqual([]);
});
