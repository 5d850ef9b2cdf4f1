import { EXAMPLES } from '@countersign/protocol';
import type { ExtendedDecisionReceipt, SignedRecord } from '@countersign/protocol';
import { approvalReceipt, approvalRecords } from '../../evidence/approvals.js';
import { copyOf, forged } from '../../evidence/forging.js';
import type { Forgery } from '../../evidence/forging.js';
import { accepted, refused } from '../vector.js';
import type { Vector } from '../vector.js';

const MINE = { tenant: 'acme', audience: 'bot-7' };
const RECORDS = approvalRecords();
const RECEIPT = approvalReceipt();

/** Records of requests that several people decide (protocol §18), alone. */
export function approvals(): Vector[] {
  const failing = (
    name: string,
    what: string,
    code: 'record_payload' | 'record_header' | 'record_time',
    of: { readonly record: SignedRecord },
    changes: Forgery,
  ): Vector =>
    refused(`approval-${name}`, what, forged(of.record, changes), { code }, { expected: MINE });
  const { quorum: _, ...withoutQuorum } = EXAMPLES.ExtendedDecisionReceipt;
  const alone = forged(RECEIPT.record, {});
  const { grant_deadline: _g, ...ofExecution } = EXAMPLES.ExtendedDecisionReceipt as Extract<
    ExtendedDecisionReceipt,
    { grant_deadline: string }
  >;
  const payload = { ...ofExecution, purpose: 'review', decision: 'approve' };
  const ofReview = copyOf({ ...RECEIPT.record, payload }) as SignedRecord;
  return [
    accepted(
      'approval-receipt',
      'The decision of several people, alone.',
      RECEIPT.record,
      { code: 'record_payload', status: 'holds' },
      { expected: MINE },
      'incomplete',
    ),
    refused(
      'approval-receipt-without-quorum',
      'Its profiles say that several people decided, and it names none.',
      forged({ ...alone, payload: withoutQuorum }, {}),
      { code: 'record_payload' },
      { expected: MINE },
    ),
    failing(
      'receipt-without-the-profile',
      'It names several people, and its profiles say that one decided.',
      'record_payload',
      { record: ofReview },
      { protected: { purpose: 'review', profiles: {} } },
    ),
    failing('vote-of-another-time', 'A vote tells another time.', 'record_time', RECORDS.vote, {
      payload: { approved_at: '2026-05-01T09:04:00.000Z' },
    }),
    failing(
      'vote-of-another-purpose',
      'A vote of another purpose.',
      'record_header',
      RECORDS.vote,
      {
        payload: { purpose: 'review' },
      },
    ),
    failing('vote-without-a-number', 'A vote with the number 0.', 'record_payload', RECORDS.vote, {
      payload: { number: 0 },
    }),
    failing('vote-without-a-group', 'A vote of no group.', 'record_payload', RECORDS.vote, {
      payload: { groups: [] },
    }),
    failing('ending-of-nothing', 'An ending of no vote.', 'record_payload', RECORDS.ending, {
      payload: { approvals: [] },
    }),
    failing(
      'membership-for-a-producer',
      'A membership that is addressed to a producer.',
      'record_header',
      RECORDS.membership,
      { protected: { audience: 'bot-7' } },
    ),
    failing(
      'policy-with-an-unknown-part',
      'A policy with a part that this release does not know.',
      'record_payload',
      RECORDS.policy,
      { payload: { policy: { ...EXAMPLES.RoutePolicy, standing: {} } } },
    ),
  ];
}
