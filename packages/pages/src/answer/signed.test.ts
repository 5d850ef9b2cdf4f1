import type { DecisionCandidate, SignedRecord } from '@countersign/protocol';
import { EXAMPLES } from '@countersign/protocol';

import { canonicalText, textDigest, valueDigest } from '../material/digest.js';
import { signs } from './signed.js';

const candidate = EXAMPLES.DecisionCandidate as DecisionCandidate;
const receiptOf = async (signed: DecisionCandidate): Promise<SignedRecord> => ({
  ...(EXAMPLES.SignedRecord as SignedRecord),
  payload: {
    reviewer: signed.reviewer,
    decision: signed.decision,
    candidate_digest: await valueDigest(signed),
    response_digest: await textDigest(canonicalText(signed.response)),
  },
});

test('a receipt signs the candidate of its digests', async () => {
  expect(await signs(await receiptOf(candidate), candidate)).toBe(true);
});

test.each<[string, Partial<DecisionCandidate>]>([
  ['another answer', { response: { another: 'answer' } }],
  ['the same answer frozen by another person', { reviewer: 'somebody-else' }],
  ['another decision', { decision: 'reject' }],
])('it does not sign %s', async (_what, changes) => {
  expect(await signs(await receiptOf(candidate), { ...candidate, ...changes })).toBe(false);
});
