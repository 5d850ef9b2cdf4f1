import { withdrawVote } from '@countersign/protocol';
import {
  commit,
  endedIn,
  endedValues,
  openRequest,
  requireIntegrity,
  withFreshState,
} from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { countEndings, personOf, requireApprovals, votingIn } from '../approvals.js';
import type { ReviewDeps } from '../deps.js';
import { WITHDRAW } from '../store/index.js';

/**
 * `review.withdraw-approval`: ends the caller's vote; after the decision it takes away an unused grant where the policy says so
 * (protocol §18.4). A person who is not eligible any more may take a vote back. Answers ApprovalEnded, or the event of the second case.
 */
export function withdrawApproval(deps: ReviewDeps): OperationHandler<'review.withdraw-approval'> {
  return async (call) => {
    const { caller, id, key, scope, body } = call;
    return withFreshState(async () => {
      const found = await deps.store.load(caller, id, scope, key);
      const opened = await openRequest(deps.directory, caller, found, body);
      if (opened.replay !== null) return storedReply(opened.replay);
      const stored = requireApprovals(await opened.visible());
      requireIntegrity(stored, caller.tenant, deps.profiles);
      const { lifecycle, row } = stored;
      const { person } = await personOf(deps, caller.id, stored);
      const voting = votingIn(stored, await deps.store.votes(caller.tenant, id));
      const voter = { reviewer: caller.id, person };
      const { transition } = withdrawVote(lifecycle, stored, voting, voter, row.now);
      const ended = endedIn(transition.records, voting);
      const { reviewDeadline, grantDeadline, decision } = lifecycle;
      const signed = await commit(deps, WITHDRAW, stored, transition, {
        before: decision === 'pending' ? reviewDeadline : grantDeadline,
        answer: (records) => ({
          call,
          status: 200,
          result: (records[0] as (typeof records)[0]).text,
        }),
        own: endedValues(ended, voting, row.now),
      });
      countEndings(deps, ended);
      return answer(200, (signed[0] as (typeof signed)[0]).text);
    });
  };
}
