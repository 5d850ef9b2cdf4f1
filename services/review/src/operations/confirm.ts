import { Refusal, confirm as decide, requirePending } from '@countersign/protocol';
import type { DecisionCandidate, DecisionReceipt } from '@countersign/protocol';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { ReviewDeps } from '../deps.js';
import { reviewerOperation } from '../reviewer-operation.js';

/**
 * `review.confirm`: the authenticated human confirms exactly the candidate that they froze; the answer is the signed
 * receipt. Of parallel confirmations one succeeds: all of them set the same version.
 */
export function confirm(deps: ReviewDeps): OperationHandler<'review.confirm'> {
  return reviewerOperation(deps, 'review.confirm', ({ caller, input: given }) => {
    return async ({ row, stored, reviewer, transit }) => {
      const { request, lifecycle } = stored;
      requirePending(lifecycle, row.now);
      const candidate =
        row.candidate === null || row.candidate_live !== true
          ? null
          : (JSON.parse(row.candidate) as DecisionCandidate);
      if (
        candidate === null ||
        candidate.id !== given.candidate_id ||
        row.candidate_digest !== given.candidate_digest
      ) {
        throw new Refusal('candidate_changed');
      }
      const { next, events } = decide(
        lifecycle,
        {
          decision: candidate.decision,
          grantSeconds: request.limits.grant_seconds,
          validUntil:
            request.execution === undefined ? null : Date.parse(request.execution.valid_until),
        },
        row.now,
      );
      const subject = {
        tenant: caller.tenant,
        audience: stored.owner,
        purpose: request.purpose,
        profiles: request.profiles,
      };
      const [receipt, changes] = await Promise.all([
        deps.notary.issue('DecisionReceipt', subject, row.now, {
          candidate_digest: row.candidate_digest,
          candidate_id: candidate.id,
          confirmed_at: new Date(row.now).toISOString(),
          decision: candidate.decision,
          ...(next.grantDeadline === null
            ? {}
            : { grant_deadline: new Date(next.grantDeadline).toISOString() }),
          purpose: request.purpose,
          request_digest: stored.digest,
          request_id: stored.id,
          requester: request.requester.subject,
          response_digest: candidate.response_digest,
          reviewer: reviewer.id,
          // The decision is of the request's purpose, and only an execution has a grant deadline: `decide` saw to it.
        } as DecisionReceipt),
        deps.notary.events(stored.id, subject, events, row.now),
      ]);
      await deps.store.confirm(
        transit(
          { status: 200, result: null, recordId: receipt.id },
          {
            records: [receipt, ...changes],
            deadlines:
              next.grant === 'pending_anchor' && next.grantDeadline !== null
                ? [{ kind: 'grant', due: next.grantDeadline }]
                : [],
          },
        ),
        next,
        receipt.id,
      );
      deps.chained(caller.tenant);
      return answer(200, receipt.text);
    };
  });
}
