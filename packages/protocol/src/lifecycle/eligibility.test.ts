import { Refusal } from '../errors.js';
import { requireEligible, samePerson } from './eligibility.js';
import type { Person, RouteRules } from './eligibility.js';

type Given = Parameters<typeof requireEligible>;

const ISSUER = 'https://login.example';

function human(id: string, changes: Partial<Person> = {}): Person {
  return { id, enabled: true, certain: true, issuer: ISSUER, subject: `${id}@login`, ...changes };
}

const producer: Person = { ...human('bot-7'), issuer: null, subject: null };
const reviewer = human('rev-1');
const requester = human('owner-1');
const request = { authorisationRevision: 3 };
const route: RouteRules = { revision: 3, reviewers: ['rev-0', 'rev-1'], separationOfDuties: true };

function refusalOf(...given: Given): string | null {
  try {
    requireEligible(...given);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return `${error.status} ${error.code}`;
    throw error;
  }
}

describe('an eligible reviewer', () => {
  it('is named by the route of the request’s revision and is not the requester', () => {
    expect(refusalOf(reviewer, request, route, requester, [producer, requester])).toBeNull();
  });

  it('may be the requester where duties are not separated', () => {
    const shared = { ...route, separationOfDuties: false };
    expect(refusalOf(reviewer, request, shared, reviewer, [reviewer, reviewer])).toBeNull();
  });

  it('needs no owner on record', () => {
    expect(refusalOf(reviewer, request, route, requester, [null, null])).toBeNull();
  });
});

describe('an ineligible reviewer is refused', () => {
  const uncertain = human('rev-1', { certain: false });
  const removed = { ...route, reviewers: ['rev-0', 'rev-10', 'rev-'] };

  test.each<[string, string, Given]>([
    [
      'whose identity is uncertain',
      '503 identity_uncertain',
      [uncertain, request, route, requester, []],
    ],
    ['when the route is gone', '409 reviewer_ineligible', [reviewer, request, null, requester, []]],
    [
      'when the route has other rules by now',
      '409 reviewer_ineligible',
      [reviewer, request, { ...route, revision: 4 }, requester, []],
    ],
    [
      'when the request is of a later revision than the route read',
      '409 reviewer_ineligible',
      [reviewer, request, { ...route, revision: 2 }, requester, []],
    ],
    [
      'whom the route does not name',
      '409 reviewer_ineligible',
      [reviewer, request, removed, requester, []],
    ],
    [
      'when the requester is unknown',
      '503 requester_identity_uncertain',
      [reviewer, request, route, null, []],
    ],
    [
      'when the requester is disabled',
      '503 requester_identity_uncertain',
      [reviewer, request, route, human('owner-1', { enabled: false }), []],
    ],
    [
      'when the requester is uncertain',
      '503 requester_identity_uncertain',
      [reviewer, request, route, human('owner-1', { certain: false }), []],
    ],
    ['who is the requester', '403 separation_of_duties', [reviewer, request, route, reviewer, []]],
    [
      'who owns the request',
      '403 separation_of_duties',
      [reviewer, request, route, requester, [reviewer, null]],
    ],
    [
      'who is bound to the owner',
      '403 separation_of_duties',
      [reviewer, request, route, requester, [producer, reviewer]],
    ],
  ])('%s', (_, refusal, given) => {
    expect(refusalOf(...given)).toBe(refusal);
  });

  it('in the order of protocol §6.4', () => {
    const other = { ...route, revision: 4, reviewers: [] };
    const gone = human('rev-1', { enabled: false });
    // Everything is wrong; then one thing after the other is put right.
    const steps: Given[] = [
      [uncertain, request, other, gone, [uncertain]],
      [reviewer, request, other, gone, [reviewer]],
      [reviewer, request, { ...other, revision: 3 }, gone, [reviewer]],
      [reviewer, request, route, gone, [reviewer]],
      [reviewer, request, route, reviewer, [reviewer]],
      [reviewer, request, route, requester, [reviewer]],
      [reviewer, request, route, requester, [requester]],
    ];
    expect(steps.map((given) => refusalOf(...given))).toEqual([
      '503 identity_uncertain',
      '409 reviewer_ineligible',
      '409 reviewer_ineligible',
      '503 requester_identity_uncertain',
      '403 separation_of_duties',
      '403 separation_of_duties',
      null,
    ]);
  });
});

describe('separation of duties compares people', () => {
  const again = human('rev-1-again', { subject: reviewer.subject });

  test.each<[string, Given]>([
    ['the requester under another id', [reviewer, request, route, again, []]],
    ['the owner under another id', [reviewer, request, route, requester, [again, null]]],
    [
      'the owner’s human under another id',
      [reviewer, request, route, requester, [producer, again]],
    ],
  ])('and knows %s', (_, given) => {
    expect(refusalOf(...given)).toBe('403 separation_of_duties');
  });

  test.each<[string, boolean, Person, Person]>([
    ['one id', true, producer, { ...producer }],
    ['one id although the identities differ', true, reviewer, human('rev-1', { subject: 'new' })],
    ['two ids of one identity', true, reviewer, again],
    ['two ids and subjects', false, reviewer, requester],
    [
      'one subject of two issuers',
      false,
      reviewer,
      human('rev-2', { subject: reviewer.subject, issuer: 'https://other.example' }),
    ],
    ['two principals without identities', false, producer, { ...producer, id: 'bot-8' }],
    ['a human and a principal without identity', false, reviewer, producer],
  ])('%s', (_, same, one, other) => {
    expect([samePerson(one, other), samePerson(other, one)]).toEqual([same, same]);
  });
});
