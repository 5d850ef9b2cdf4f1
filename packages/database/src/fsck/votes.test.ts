import { EXAMPLES } from '@countersign/protocol';
import type { RecordType, SignedRecord } from '@countersign/protocol';
import type { PlacedRecord } from './rebuild.js';
import { faultsOfVotes } from './votes.js';

// Against records that the service made: test/e2e/approvals/fsck.test.ts. Here: what no service leaves.

const REQUEST = EXAMPLES.ExtendedDecisionRequest;
const { stages } = REQUEST.approval.policy.quorum;
const NEEDED = stages.flatMap(({ seats }) => seats).reduce((sum, { count }) => sum + count, 0);
const NONE = {
  ...{ approvalsNeeded: NEEDED, votes: [], persons: [], evidence: [] },
  quorum: { needed: NEEDED, number: 0, receiptId: null, isUnreachable: false },
};

const placed = (type: RecordType, payload: object): PlacedRecord => ({
  ...{ id: type, sequence: 1 },
  record: {
    ...EXAMPLES.SignedRecord,
    protected: { ...EXAMPLES.SignedRecord.protected, type },
    payload,
  } as unknown as SignedRecord,
});

it('finds a request in order that has no votes', () => {
  expect(faultsOfVotes(REQUEST, [], NONE)).toEqual([]);
});

it('misses a vote, its person and its membership', () => {
  const vote = placed('ApprovalRecord', { ...EXAMPLES.ApprovalRecord, number: 1 });
  expect(faultsOfVotes(REQUEST, [vote], NONE)).toEqual([
    ...['vote_differs', 'quorum_differs', 'vote_evidence'],
  ]);
});

it('finds an ending twice under one number', () => {
  const ended = placed('ApprovalEnded', { ...EXAMPLES.ApprovalEnded, number: 1 });
  expect(faultsOfVotes(REQUEST, [ended, ended], NONE)).toContain('vote_numbers');
});

it('finds a decision without votes', () => {
  const receipt = placed('DecisionReceipt', EXAMPLES.ExtendedDecisionReceipt);
  const kept = { ...NONE, quorum: { ...NONE.quorum, receiptId: receipt.id } };
  expect(faultsOfVotes(REQUEST, [receipt], kept)).toEqual(['quorum_differs']);
});

it('finds records of another shape, and counts them for nothing', () => {
  const shapes = ['ApprovalRecord', 'ApprovalEnded', 'DecisionReceipt'] as const;
  const records = shapes.map((type) => placed(type, {}));
  expect(faultsOfVotes(REQUEST, records, NONE)).toEqual(['record_form']);
});

it('compares the request with its row: both are of several people, or of one', () => {
  expect(faultsOfVotes(REQUEST, [], undefined)).toEqual(['quorum_differs']);
  expect(faultsOfVotes(EXAMPLES.DecisionRequest, [], undefined)).toEqual([]);
  expect(faultsOfVotes(EXAMPLES.DecisionRequest, [], NONE)).toEqual(['quorum_differs']);
});
