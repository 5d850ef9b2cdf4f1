import type { ApprovalBoard } from '@countersign/protocol';

import { barredFrom, byStage, isNo, openSeatsOf, ownVoteIn, tallyOf } from './seats.js';
import type { BoardCandidate } from './seats.js';

const quorum = {
  stages: [
    { name: 'money', seats: [{ group: 'finance', count: 2 }] },
    { name: 'last', seats: [{ group: 'legal', count: 1 }] },
  ],
  distinct_by: 'person',
  rejection: { count: 1 },
  author_may_approve: false,
  exclude: { publisher_people: true, operators: false },
  withdraw_after_completion: false,
  guard: false,
} as const;
const candidate = {
  candidate: null,
  candidate_id: 'c',
  candidate_digest: 'sha256:c',
  author: 'ann',
  decision: 'approve',
  open_stage: 1,
  seats: openSeatsOf(quorum as never),
} as BoardCandidate;
const mine = (can: string[], groups: string[], why_not: string | null = null) =>
  ({ can, groups, why_not }) as ApprovalBoard['mine'];
const bars = (of: BoardCandidate, who: ApprovalBoard['mine'], subject = 'ben') =>
  barredFrom(of, who, quorum as never, subject);

it('seats of a policy are open, in its order, by stage', () => {
  const seats = openSeatsOf(quorum as never);
  expect(seats.map(({ stage, group }) => `${stage} ${group}`)).toEqual([
    '1 finance',
    '1 finance',
    '2 legal',
  ]);
  expect(tallyOf(seats)).toEqual([0, 3]);
  expect(byStage(quorum as never, seats).map(({ name, seats: own }) => [name, own.length])).toEqual(
    [
      ['money', 2],
      ['last', 1],
    ],
  );
});

it('a person with a seat in the open stage may approve, one of a later stage may not', () => {
  expect(bars(candidate, mine(['approve', 'reject'], ['finance']))).toBeNull();
  expect(bars(candidate, mine(['approve', 'reject'], ['legal']))).toBe('stage_not_open');
  expect(bars(candidate, mine(['reject'], ['legal'], 'stage_not_open'))).toBe('stage_not_open');
});

it('an author may not approve where the policy says so, and may say no', () => {
  const own = mine(['approve', 'reject'], ['finance']);
  expect(bars(candidate, own, 'ann')).toBe('separation_of_duties');
  const no = { ...candidate, decision: 'reject', open_stage: null, seats: [] } as BoardCandidate;
  expect(isNo(no.decision)).toBe(true);
  expect(bars(no, own, 'ann')).toBeNull();
});

it('a person who may do nothing reads the reason of the service', () => {
  expect(bars(candidate, mine([], [], 'reviewer_ineligible'))).toBe('reviewer_ineligible');
});

it('a vote that has ended is nobody’s standing vote', () => {
  const votes = [{ reviewer: 'ben', state: 'ended' }];
  expect(ownVoteIn({ votes } as ApprovalBoard, 'ben')).toBeNull();
  const again = [...votes, { reviewer: 'ben', state: 'live' }];
  expect(ownVoteIn({ votes: again } as ApprovalBoard, 'ben')).toBe(again[1]);
});
