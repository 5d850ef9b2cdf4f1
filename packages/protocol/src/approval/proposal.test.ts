import { valueDigest } from '../json/index.js';
import { LOCAL_OPERATOR, isConfirmed, proposalEnds } from './proposal.js';
import type { Proposal } from './proposal.js';

const [olga, oscar] = [valueDigest('olga'), valueDigest('oscar')];
const digest = valueDigest('body');
const proposal: Proposal = { digest, by: 'olga-1', person: olga, at: 1_000 };
const second = { digest, person: oscar };
const soon = 2_000;

it('another person confirms a proposal with the same body', () => {
  expect(isConfirmed(proposal, second, soon)).toBe(true);
});

it('another person confirms what the local command has confirmed', () => {
  const local = { ...proposal, by: LOCAL_OPERATOR, person: LOCAL_OPERATOR } as const;
  expect(isConfirmed(local, second, soon)).toBe(true);
  expect(isConfirmed(local, { ...second, person: null }, soon)).toBe(false);
});

it('ends after a day', () => {
  const end = proposalEnds(proposal);
  expect(end).toBe(86_401_000);
  expect(isConfirmed(proposal, second, end - 1)).toBe(true);
  expect(isConfirmed(proposal, second, end)).toBe(false);
});

test.each<[string, Proposal, typeof second | { digest: typeof digest; person: null }]>([
  ['the bodies differ', proposal, { ...second, digest: valueDigest('other') }],
  ['it is the same person', proposal, { ...second, person: olga }],
  ['the second operator has a bearer token', proposal, { ...second, person: null }],
  ['the first operator had a bearer token', { ...proposal, person: null }, second],
  ['both have bearer tokens', { ...proposal, person: null }, { ...second, person: null }],
])('is not confirmed where %s', (_, proposed, by) => {
  expect(isConfirmed(proposed, by, soon)).toBe(false);
});
