import { EXAMPLES } from '../records/examples.js';
import type { RoutePolicy } from '../records/index.js';
import { validate } from '../records/index.js';
import { policyFault, weakens } from './policy.js';
import { quorumOf } from './testing/voters.js';

const POLICY = EXAMPLES.RoutePolicy;
const KEY: RoutePolicy['human_key'] = {
  attestation: 'none',
  aaguids: [],
  device: 'any',
  enrolment: 'countersigned',
};
const ATTENTION: NonNullable<RoutePolicy['attention']> = {
  ...{ tier: 'high', read_seconds: 30, reading_rate: 50, cool_down_seconds: 60 },
  typed: [{ label: 'Amount', pointer: '/amount' }],
  open: ['document'],
  ...{ per_hour: 20, per_day: 100 },
};
const attentive = (changes: Partial<typeof ATTENTION> = {}): RoutePolicy => ({
  ...POLICY,
  attention: { ...ATTENTION, ...changes },
});
const withQuorum = (quorum: Partial<RoutePolicy['quorum']>): RoutePolicy => ({
  ...POLICY,
  quorum: { ...POLICY.quorum, ...quorum },
});
const staged = (...stages: Parameters<typeof quorumOf>[0]): RoutePolicy => ({
  ...POLICY,
  quorum: quorumOf(stages),
});

describe('the rules of a policy', () => {
  it('hold for the example', () => {
    expect(policyFault(POLICY, true)).toBeNull();
  });

  test.each<[string, RoutePolicy, boolean]>([
    ['21 seats', staged({ a: 10, b: 10 }, { c: 1 }), false],
    ['one seat alone', staged({ finance: 1 }), false],
    [
      'two stages of one name',
      withQuorum({ stages: [...POLICY.quorum.stages, ...POLICY.quorum.stages] }),
      false,
    ],
    [
      'a group twice in a stage',
      withQuorum({
        stages: [
          {
            name: 'all',
            seats: [
              { group: 'a', count: 1 },
              { group: 'a', count: 1 },
            ],
          },
        ],
      }),
      false,
    ],
    ['a reserved group', staged({ 'proto.custodians': 2 }), false],
    ['no guard in production', withQuorum({ guard: false }), true],
    [
      'keys without a second person in production',
      { ...POLICY, human_key: { ...KEY, enrolment: 'self' } },
      true,
    ],
    [
      'a canonical text of more than 32 KiB',
      {
        ...POLICY,
        human_key: { ...KEY, aaguids: Array<string>(900).fill('0'.repeat(36)) },
      },
      false,
    ],
    [
      'a value that is typed twice',
      attentive({ typed: [...ATTENTION.typed, { label: 'Sum', pointer: '/amount' }] }),
      false,
    ],
  ])('refuse %s', (_, policy, production) => {
    expect(policyFault(policy, production)).toMatch(/\.$/);
  });

  it('allow 20 seats, and what only production refuses', () => {
    expect(policyFault(staged({ a: 10 }, { b: 10 }), true)).toBeNull();
    expect(policyFault(withQuorum({ guard: false }), false)).toBeNull();
  });

  it('allow one seat with a key of its own', () => {
    expect(policyFault({ ...staged({ finance: 1 }), human_key: KEY }, true)).toBeNull();
  });

  it('allow one seat with attention', () => {
    const policy = { ...staged({ finance: 1 }), attention: ATTENTION };
    expect(policyFault(policy, true)).toBeNull();
  });

  test.each<[string, object]>([
    ['an unknown tier', { tier: 'extreme' }],
    ['a floor above an hour', { read_seconds: 3601 }],
    ['a rate between none and 10', { reading_rate: 9 }],
    ['a rate above 200', { reading_rate: 201 }],
    ['a cool-down above an hour', { cool_down_seconds: 3601 }],
    ['a pointer that is none', { typed: [{ label: 'Amount', pointer: 'amount' }] }],
    ['a label of nothing', { typed: [{ label: '', pointer: '/amount' }] }],
    ['four values', { typed: ['/a', '/b', '/c', '/d'].map((at) => ({ label: at, pointer: at })) }],
    ['another part to open', { open: ['history'] }],
    ['more than 500 an hour', { per_hour: 501 }],
    ['more than 2000 a day', { per_day: 2001 }],
    ['an unknown member', { more: 1 }],
  ])('leave to the shape of attention: %s', (_, changes) => {
    expect(validate('RoutePolicy', attentive())).toBe(true);
    expect(validate('RoutePolicy', attentive(changes))).toBe(false);
  });

  test.each([
    ['no stage', { stages: [] }],
    ['a stage without seats', { stages: [{ name: 'all', seats: [] }] }],
    ['eleven of a group', { stages: [{ name: 'all', seats: [{ group: 'a', count: 11 }] }] }],
    ['no member of a group', { stages: [{ name: 'all', seats: [{ group: 'a', count: 0 }] }] }],
    ['a rejection by no one', { rejection: { count: 0 } }],
  ])('leave to the shape: %s', (_, quorum) => {
    expect(validate('RoutePolicy', withQuorum(quorum))).toBe(false);
  });
});

describe('a change weakens a policy', () => {
  const two = staged({ finance: 1 }, { platform: 2 });

  test.each<[string, RoutePolicy, RoutePolicy | null]>([
    ['that is removed', POLICY, null],
    ['that loses a seat', POLICY, staged({ finance: 1 })],
    ['that lowers a count', POLICY, staged({ finance: 1, platform: 1 })],
    ['that names another group', POLICY, staged({ finance: 1, legal: 2 })],
    ['that joins its stages', two, staged({ finance: 1, platform: 2 })],
    ['that turns its stages round', two, staged({ platform: 2 }, { finance: 1 })],
    ['that wants more noes', POLICY, withQuorum({ rejection: { count: 2 } })],
    ['that forgets the teams', POLICY, withQuorum({ distinct_by: 'person' })],
    ['that lets an author count', withQuorum({ author_may_approve: false }), POLICY],
    [
      'that lets the publisher’s people in',
      POLICY,
      withQuorum({ exclude: { publisher_people: false, operators: false } }),
    ],
    [
      'that lets operators in',
      withQuorum({ exclude: { publisher_people: true, operators: true } }),
      POLICY,
    ],
    [
      'that keeps authority against its givers',
      POLICY,
      withQuorum({ withdraw_after_completion: false }),
    ],
    ['that drops its guard', POLICY, withQuorum({ guard: false })],
    ['that drops the key', { ...POLICY, human_key: KEY }, POLICY],
    [
      'that takes any key',
      { ...POLICY, human_key: { ...KEY, device: 'device_bound' } },
      { ...POLICY, human_key: KEY },
    ],
    ['that drops attention', attentive(), POLICY],
    ['that lowers the tier', attentive(), attentive({ tier: 'standard' })],
    ['that shortens reading', attentive(), attentive({ read_seconds: 29 })],
    ['that lets people read faster', attentive(), attentive({ reading_rate: 51 })],
    ['that lets the length out', attentive(), attentive({ reading_rate: 0 })],
    ['that shortens the cool-down', attentive(), attentive({ cool_down_seconds: 59 })],
    ['that has nothing typed', attentive(), attentive({ typed: [] })],
    [
      'that calls a value something else',
      attentive(),
      attentive({ typed: [{ label: 'Date', pointer: '/amount' }] }),
    ],
    ['that opens nothing', attentive(), attentive({ open: [] })],
    ['that allows more an hour', attentive(), attentive({ per_hour: 21 })],
    ['that allows any number an hour', attentive(), attentive({ per_hour: 0 })],
    ['that allows more a day', attentive(), attentive({ per_day: 101 })],
  ])('%s', (_, before, after) => {
    expect(weakens(before, after)).toBe(true);
  });

  test.each<[string, RoutePolicy, RoutePolicy]>([
    ['stays the same', POLICY, POLICY],
    ['gets a seat', POLICY, staged({ finance: 1, platform: 3 })],
    ['gets a stage before', two, staged({ legal: 1 }, { finance: 1 }, { platform: 2 })],
    ['gets a stage between', two, staged({ finance: 1 }, { legal: 1 }, { platform: 2 })],
    ['wants fewer noes', withQuorum({ rejection: { count: 2 } }), POLICY],
    ['wants different teams', withQuorum({ distinct_by: 'person' }), POLICY],
    ['wants a key', POLICY, { ...POLICY, human_key: KEY }],
    ['wants attention', POLICY, attentive()],
    ['wants more of it', attentive({ tier: 'low', read_seconds: 0, per_day: 0 }), attentive()],
    ['counts the length', attentive({ reading_rate: 0 }), attentive()],
    ['wants slower reading', attentive(), attentive({ reading_rate: 10 })],
  ])('but not that it %s', (_, before, after) => {
    expect(weakens(before, after)).toBe(false);
  });
});
