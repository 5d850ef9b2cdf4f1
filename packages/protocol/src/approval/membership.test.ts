import { Refusal } from '../errors.js';
import { EXAMPLES } from '../records/examples.js';
import {
  createTrustManifest,
  generateSigningKey,
  loadTrust,
  signRecord,
  signerFromPem,
} from '../signing/index.js';
import { NO_MEMBERSHIP, membershipNeedsTwo, verifiedMembership } from './membership.js';
import type { MembershipTerms } from './membership.js';

const GUARDED = new Set(['finance', 'platform']);
const of = (groups: string[], changed: Partial<MembershipTerms> = {}): MembershipTerms => ({
  ...NO_MEMBERSHIP,
  groups,
  ...changed,
});

describe('one operator', () => {
  test.each<[string, MembershipTerms, MembershipTerms]>([
    ['puts a person into a group of no guarded policy', NO_MEMBERSHIP, of(['oncall'])],
    ['takes a person out of a guarded group', of(['finance', 'oncall']), of(['oncall'])],
    ['leaves a membership as it is', of(['finance']), of(['finance'])],
    [
      'changes the team of a member of other groups',
      of(['oncall']),
      of(['oncall'], { team: 'red' }),
    ],
    [
      'changes the person of a member of other groups',
      of(['oncall']),
      of(['oncall'], { same_person_as: 'plat-1' }),
    ],
    ['writes groups in another order', of(['finance', 'platform']), of(['platform', 'finance'])],
  ])('%s', (_, before, after) => {
    expect(membershipNeedsTwo(before, after, GUARDED, false)).toBe(false);
  });
});

describe('two operators', () => {
  test.each<[string, MembershipTerms, MembershipTerms]>([
    ['put a new person into a guarded group', NO_MEMBERSHIP, of(['finance'])],
    ['put a member into another guarded group', of(['finance']), of(['finance', 'platform'])],
    ['put a person into a reserved group', NO_MEMBERSHIP, of(['proto.custodians'])],
    ['change the team of a member', of(['finance']), of(['finance'], { team: 'red' })],
    ['take the team of a member away', of(['finance'], { team: 'red' }), of(['finance'])],
    [
      'make a member another person',
      of(['finance']),
      of(['finance'], { same_person_as: 'plat-1' }),
    ],
    [
      'make a member a person of their own',
      of(['finance'], { same_person_as: 'plat-1' }),
      of(['finance']),
    ],
    [
      'change the team of a person who leaves the group with it',
      of(['finance'], { team: 'red' }),
      of([], { team: 'blue' }),
    ],
  ])('%s', (_, before, after) => {
    expect(membershipNeedsTwo(before, after, GUARDED, false)).toBe(true);
  });
});

test('two operators part an operator from the person whom the membership named', () => {
  const named = of([], { same_person_as: 'op-1' });
  const needs = (before: MembershipTerms, after: MembershipTerms, operates = true) =>
    membershipNeedsTwo(before, after, GUARDED, operates);
  expect(needs(named, NO_MEMBERSHIP)).toBe(true);
  expect(needs(named, of([], { same_person_as: 'op-2' }))).toBe(true);
  expect(needs(NO_MEMBERSHIP, named)).toBe(false);
  expect(needs(named, of(['oncall'], { same_person_as: 'op-1' }))).toBe(false);
  expect(needs(named, NO_MEMBERSHIP, false)).toBe(false);
});

describe('the membership in force', () => {
  const key = generateSigningKey('request-1');
  const manifest = createTrustManifest('https://review.example', {
    ...key,
    ...{ notBefore: 0, notAfter: Date.UTC(2030, 0, 1) },
  });
  const trust = loadTrust(manifest);
  const header = {
    ...({ type: 'MembershipConfigured', purpose: 'service', profiles: {} } as const),
    ...{ issuer: 'https://review.example', audience: 'proto.directory', tenant: 'acme' },
    issuedAt: Date.UTC(2026, 3, 30),
  };
  const signer = signerFromPem('request-1', key.privatePem);
  const membership = EXAMPLES.MembershipConfigured;
  const { text } = signRecord(signer, header, membership);
  const who = { tenant: 'acme', principal: membership.principal };

  it('is that of its signed text', () => {
    expect(verifiedMembership(text, who, trust)).toEqual(membership);
  });

  test.each<[string, string, typeof who]>([
    ['that was altered', text.replace('platform', 'finance'), who],
    ['of another principal', text, { ...who, principal: 'plat-2' }],
    ['of another tenant', text, { ...who, tenant: 'other' }],
    [
      'of another type',
      signRecord(signer, { ...header, type: 'RouteConfigured' }, EXAMPLES.RouteResult).text,
      who,
    ],
    ['that is no record', 'null', who],
  ])('is not that of a text %s', (_, given, expected) => {
    expect(() => verifiedMembership(given, expected, trust)).toThrow(
      new Refusal('identity_uncertain'),
    );
  });
});
