import { confirm as decide } from '@countersign/protocol';
import type { DecisionCandidate } from '@countersign/protocol';
import { commit, evidenceIn } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { ReviewDeps } from '../deps.js';
import { reviewerOperation } from '../reviewer-operation.js';
import { CONFIRM } from '../store/index.js';
import type { ReviewRow } from '../store/index.js';

/**
 * `review.confirm`: the authenticated human confirms exactly the candidate that they froze; the answer is the signed
 * receipt. Of parallel confirmations one succeeds: all of them set the same version.
 */
export function confirm(deps: ReviewDeps): OperationHandler<'review.confirm'> {
  return reviewerOperation(deps, 'review.confirm', (call) => {
    return async ({ row, stored, reviewer }) => {
      const { lifecycle } = stored;
      const transition = decide(
        lifecycle,
        stored,
        {
          input: call.input,
          candidate: candidateOf(row),
          candidateDigest: row.candidate_digest,
          reviewer: reviewer.id,
        },
        row.now,
      );
      const signed = await commit(deps, CONFIRM, stored, transition, {
        before: lifecycle.reviewDeadline,
        answer: { call, status: 200, result: null },
      });
      return answer(200, evidenceIn(signed).text);
    };
  });
}

function candidateOf({ candidate, candidate_live }: ReviewRow): DecisionCandidate | null {
  if (candidate === null || candidate_live !== true) return null;
  return JSON.parse(candidate) as DecisionCandidate;
}
