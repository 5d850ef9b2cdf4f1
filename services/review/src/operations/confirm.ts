import { confirm as decide } from '@countersign/protocol';
import type { DecisionCandidate } from '@countersign/protocol';
import { answer, evidenceIn } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { ReviewDeps } from '../deps.js';
import { reviewerOperation } from '../reviewer-operation.js';
import type { ReviewRow } from '../store.js';

/**
 * `review.confirm`: the authenticated human confirms exactly the candidate that they froze; the answer is the signed
 * receipt. Of parallel confirmations one succeeds: all of them set the same version.
 */
export function confirm(deps: ReviewDeps): OperationHandler<'review.confirm'> {
  return reviewerOperation(deps, 'review.confirm', ({ caller, input: given }) => {
    return async ({ row, stored, reviewer, transit }) => {
      const { lifecycle } = stored;
      const { next, records, deadlines } = decide(
        lifecycle,
        stored,
        {
          input: given,
          candidate: candidateOf(row),
          candidateDigest: row.candidate_digest,
          reviewer: reviewer.id,
        },
        row.now,
      );
      const signed = await deps.notary.sign(caller.tenant, stored, records, row.now);
      const receipt = evidenceIn(signed);
      await deps.store.confirm(
        transit(
          { status: 200, result: null, recordId: receipt.id },
          { records: signed, deadlines },
        ),
        next,
        receipt.id,
      );
      deps.chained(caller.tenant);
      return answer(200, receipt.text);
    };
  });
}

function candidateOf({ candidate, candidate_live }: ReviewRow): DecisionCandidate | null {
  if (candidate === null || candidate_live !== true) return null;
  return JSON.parse(candidate) as DecisionCandidate;
}
