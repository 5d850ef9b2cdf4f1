import { EXTENSION_PROFILES, KEY_PROFILE } from '../constants.js';
import { Refusal } from '../errors.js';
import { textDigest, valueDigest } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import { EXAMPLES } from '../records/examples.js';
import type { RoutePolicy } from '../records/index.js';
import { frozenApproval, personDigest, requirePolicyProfiles } from './asking.js';
import { quorumOf, voter } from './testing/voters.js';

const POLICY = EXAMPLES.RoutePolicy;
const digest = (name: string) => valueDigest(name);
const person = (name: string, groups: readonly string[], team: string | null = null) =>
  voter(digest(name), groups, team);

const refusalOf = (action: () => unknown): [string, string | undefined] | null => {
  try {
    action();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.code, error.detail];
  }
};

it('a person is the digest of issuer, subject and tenant', () => {
  const one = { issuer: 'https://id.example', subject: 's-1', tenant: 'acme' };
  const text = '{"issuer":"https://id.example","subject":"s-1","tenant":"acme"}';
  expect(personDigest(one)).toBe(textDigest(text));
  for (const changed of [{ issuer: 'https://id.test' }, { subject: 's-2' }, { tenant: 'other' }]) {
    expect(personDigest({ ...one, ...changed })).not.toBe(personDigest(one));
  }
});

describe('the profiles of a request', () => {
  const key: RoutePolicy['human_key'] = {
    ...{ attestation: 'none', aaguids: [], device: 'any' },
    enrolment: 'countersigned',
  } as const;
  const selected = { 'proto.execution': '1-draft.1', ...EXTENSION_PROFILES };

  test.each<[string, Record<string, string>, RoutePolicy | null, object, string | null]>([
    ['select nothing on a route without a policy', {}, null, {}, null],
    ['select nothing, whatever is offered', {}, null, EXTENSION_PROFILES, null],
    ['select the one that the policy needs', selected, POLICY, EXTENSION_PROFILES, null],
    ['select it without a policy', selected, null, EXTENSION_PROFILES, 'unsupported_profile'],
    ['select it while it is not offered', selected, POLICY, {}, 'unsupported_profile'],
    [
      'select another version',
      { 'proto.approval': '2' },
      POLICY,
      EXTENSION_PROFILES,
      'unsupported_profile',
    ],
    ['lack it', {}, POLICY, EXTENSION_PROFILES, 'route_profile_required'],
    ['lack it while it is not offered', {}, POLICY, {}, 'route_profile_required'],
    [
      'lack the one for keys',
      selected,
      { ...POLICY, human_key: key },
      EXTENSION_PROFILES,
      'route_profile_required',
    ],
    [
      'select it with the one for keys',
      { ...selected, ...KEY_PROFILE },
      { ...POLICY, human_key: key },
      { ...EXTENSION_PROFILES, ...KEY_PROFILE },
      null,
    ],
    [
      'select the one for keys while it is not offered',
      { ...selected, ...KEY_PROFILE },
      { ...POLICY, human_key: key },
      EXTENSION_PROFILES,
      'unsupported_profile',
    ],
    [
      'select the one for keys where the policy asks for none',
      { ...selected, ...KEY_PROFILE },
      POLICY,
      { ...EXTENSION_PROFILES, ...KEY_PROFILE },
      'unsupported_profile',
    ],
  ])('%s', (_, profiles, policy, offered, code) => {
    const refused = refusalOf(() =>
      requirePolicyProfiles(profiles, policy, offered as Record<string, string>),
    );
    expect(refused?.[0] ?? null).toBe(code);
  });
});

describe('the policy that a request freezes', () => {
  const people = [
    person('fin-1', ['finance'], 'green'),
    person('both-1', ['finance', 'platform'], 'red'),
    person('plat-1', ['platform'], 'blue'),
    person('plat-2', ['platform'], 'blue'),
  ];

  it('has its digest, and the excluded people once each in their order', () => {
    const excluded = [digest('owner-1'), digest('bot-owner'), digest('owner-1')];
    expect(frozenApproval(POLICY, excluded, people)).toEqual({
      excluded: [...new Set(excluded)].sort(),
      policy: POLICY,
      policy_digest: valueDigest(POLICY),
    });
  });

  test.each<[string, RoutePolicy, readonly string[], string]>([
    ['whom the request excludes', POLICY, ['both-1'], 'group platform: 2 needed, 1 eligible'],
    [
      'of one team where teams are distinct',
      POLICY,
      ['fin-1'],
      'group platform: 2 needed, 2 eligible',
    ],
    [
      'whom a stage before uses up',
      { quorum: quorumOf([{ finance: 2 }, { platform: 2 }], 'person') },
      ['plat-2'],
      'group platform: 2 needed, 2 eligible',
    ],
    [
      'of no such group',
      { quorum: quorumOf([{ finance: 1, legal: 2 }, { audit: 1 }]) },
      [],
      'group legal: 2 needed, 0 eligible; group audit: 1 needed, 0 eligible',
    ],
  ])('is refused where seats are left for people %s', (_, policy, excluded, detail) => {
    const refused = refusalOf(() => frozenApproval(policy, excluded.map(digest), people));
    expect(refused).toEqual(['quorum_unsatisfiable', detail]);
  });

  it('takes two principals of one person for one, also where their teams differ', () => {
    const second = person('plat-1', ['platform'], 'red');
    const all = [
      person('fin-1', ['finance'], 'green'),
      person('plat-1', ['platform'], 'blue'),
      second,
    ];
    expect(refusalOf(() => frozenApproval(POLICY, [], all))).toEqual([
      'quorum_unsatisfiable',
      'group platform: 2 needed, 1 eligible',
    ]);
    const third = person('plat-2', ['platform'], 'black');
    expect(refusalOf(() => frozenApproval(POLICY, [], [...all, third]))).toBeNull();
  });

  it('is refused where more people are excluded than a request can name', () => {
    const crowd = (count: number): Digest[] =>
      Array.from({ length: count }, (_, at) => digest(`operator-${at}`));
    expect(frozenApproval(POLICY, crowd(256), people).excluded).toHaveLength(256);
    expect(refusalOf(() => frozenApproval(POLICY, crowd(257), people))).toEqual([
      'quorum_unsatisfiable',
      '257 people are excluded, and 256 at most can be',
    ]);
  });
});
