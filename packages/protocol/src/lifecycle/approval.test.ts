import { NO_VOTES, cast, openStage } from '../approval/index.js';
import { quorumOf } from '../approval/testing/voters.js';
import { EXAMPLES } from '../records/examples.js';
import type { ApprovalEnded, ExtendedDecisionReceipt } from '../records/index.js';
import { faultOf } from '../records/index.js';
import { textDigest } from '../json/index.js';
import * as lifecycle from './index.js';
import { APPROVAL_BUGS } from './testing/approval-bugs.js';
import {
  PENDING,
  ROW_NAMES,
  SITUATION_NAMES,
  checkApprovals,
  factsOf,
  memberOf,
} from './testing/approvals.js';

describe('the commands of approvals', () => {
  it('act in every situation as the table says', () => {
    expect(checkApprovals(lifecycle)).toEqual([]);
  });

  it('have a row for every situation', () => {
    expect([...ROW_NAMES].sort()).toEqual([...SITUATION_NAMES].sort());
  });
});

describe('the records of a decision by several people', () => {
  const now = Date.UTC(2026, 4, 1, 12);
  const quorum = quorumOf([{ finance: 1 }, { platform: 1 }], 'person');
  const about = factsOf({ quorum });
  const candidate = EXAMPLES.DecisionCandidate;
  const candidateDigest = textDigest('the candidate');
  const input = { candidate_id: candidate.id, candidate_digest: candidateDigest };
  const found = { candidate, candidateDigest, authorPerson: null };

  it('have their shapes, and name each other by digest and number', () => {
    let voting = { tally: NO_VOTES, number: 0 };
    const votes = ['fin-1', 'plat-1'].map((name) => {
      const given = { id: EXAMPLES.ApprovalRecord.id, input, found };
      const made = lifecycle.ballot(PENDING, about, voting, memberOf(name), given, now);
      expect(faultOf('ApprovalRecord', made.record)).toBeNull();
      const voted = lifecycle.count(made, textDigest(name), about, voting, now);
      voting = { tally: voted.tally, number: made.record.number };
      return { record: made.record, drafts: voted.transition.records };
    });
    expect(votes.map(({ record }) => [record.number, record.stage, record.groups])).toEqual([
      [1, 1, ['finance']],
      [2, 2, ['platform']],
    ]);
    const receipt = votes[1]?.drafts.find(({ type }) => type === 'DecisionReceipt');
    const payload = receipt?.payload as ExtendedDecisionReceipt;
    expect(faultOf('ExtendedDecisionReceipt', payload)).toBeNull();
    expect(payload).toMatchObject({
      reviewer: 'plat-1',
      confirmed_at: votes[1]?.record.approved_at,
      candidate_digest: candidateDigest,
      quorum: {
        policy_digest: about.request.approval.policy_digest,
        approvals: [{ record: textDigest('fin-1') }, { record: textDigest('plat-1') }],
      },
    });
  });

  it('have an ending for each cause, in the shape of ApprovalEnded', () => {
    const vote = (name: string, stage: number) => ({
      ...{ id: textDigest(name), reviewer: name, forPerson: null, team: null, yes: true, stage },
      ...{ person: memberOf(name).person, groups: memberOf(name).groups, candidate: 'a' },
    });
    const two = factsOf({ quorum: quorumOf([{ finance: 1 }, { platform: 2 }], 'person') });
    const policy = two.request.approval.policy.quorum;
    const tally = [vote('fin-1', 1), vote('plat-1', 2)].reduce(
      (before, each) => cast(policy, before, each),
      NO_VOTES,
    );
    const { transition, tally: after } = lifecycle.endVotes(
      lifecycle.unchanged(PENDING),
      two,
      { tally, number: 2 },
      {
        votes: tally.live.slice(0, 1),
        reason: 'member_removed',
        recordedBy: { kind: 'operator', subject: 'op-1' },
      },
      now,
    );
    const endings = transition.records.filter(({ type }) => type === 'ApprovalEnded');
    expect(endings.map(({ payload }) => faultOf('ApprovalEnded', payload))).toEqual([null, null]);
    expect(endings.map(({ payload }) => payload)).toMatchObject([
      { number: 3, reason: 'member_removed', approvals: [textDigest('fin-1')] },
      { number: 4, reason: 'earlier_stage_reopened', approvals: [textDigest('plat-1')] },
    ]);
    expect([openStage(after, 'a'), after.live]).toEqual([1, []]);
  });

  it('name twenty votes at most, and those for later stages as many', () => {
    const many = factsOf({ quorum: quorumOf([{ finance: 1 }, { platform: 50 }], 'person') });
    const vote = (name: string, groups: readonly string[], stage: number) => ({
      ...{ id: textDigest(name), reviewer: name, person: textDigest(name), forPerson: null },
      ...{ team: null, yes: true, candidate: 'a', groups, stage },
    });
    const later = Array.from({ length: 41 }, (_, at) => vote(`plat-${at}`, ['platform'], 2));
    const tally = [vote('fin-1', ['finance'], 1), ...later].reduce(
      (before, each) => cast(many.request.approval.policy.quorum, before, each),
      NO_VOTES,
    );
    const recordedBy = { kind: 'operator', subject: 'op-1' } as const;
    const endedBy = (votes: typeof tally.live) =>
      lifecycle
        .endVotes(
          lifecycle.unchanged(PENDING),
          many,
          { tally, number: 42 },
          { votes, reason: 'member_removed', recordedBy },
          now,
        )
        .transition.records.map(({ type, payload }) => {
          if (type !== 'ApprovalEnded') return type;
          expect(faultOf('ApprovalEnded', payload)).toBeNull();
          const { number, approvals, reason } = payload as ApprovalEnded;
          return `${reason}#${number}(${approvals.length})`;
        });
    expect(endedBy(tally.live.slice(0, 1))).toEqual([
      'member_removed#43(1)',
      ...[44, 45].map((number) => `earlier_stage_reopened#${number}(20)`),
      'earlier_stage_reopened#46(1)',
      'RequestChangedEvent',
    ]);
    expect(endedBy(tally.live.slice(1))).toEqual([
      ...['member_removed#43(20)', 'RequestChangedEvent'],
      ...['member_removed#44(20)', 'RequestChangedEvent'],
      ...['member_removed#45(1)', 'RequestChangedEvent'],
    ]);
  });
});

describe('commands of approvals with a planted bug', () => {
  let caught = 0;

  test.each(APPROVAL_BUGS)('are found out: $name', ({ machine }) => {
    expect(checkApprovals(machine)).not.toEqual([]);
    caught += 1;
  });

  afterAll(() => {
    process.stdout.write(
      `planted bugs of approvals caught: ${caught} of ${APPROVAL_BUGS.length}\n`,
    );
  });
});
