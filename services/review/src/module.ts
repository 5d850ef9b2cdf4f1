import { BodyWorkers, serveOperations, withInput } from '@countersign/platform';
import type { Module, ServiceRuntime } from '@countersign/platform';
import { reviewDeps } from './deps.js';
import type { ReviewOptions } from './deps.js';
import { approvals } from './operations/approvals.js';
import { approve } from './operations/approve.js';
import { assign } from './operations/assign.js';
import { confirm } from './operations/confirm.js';
import { offerApproval } from './operations/offer-approval.js';
import { propose } from './operations/propose.js';
import { todo } from './operations/todo.js';
import { withdrawApproval } from './operations/withdraw-approval.js';
import { readProposal } from './proposal-input.js';

/** Reviewers propose and confirm, or vote where several people decide. */
export function reviewModule(runtime: ServiceRuntime, options: ReviewOptions): Module {
  const deps = reviewDeps(options);
  const bodies = new BodyWorkers(new URL('./body-worker.js', import.meta.url));
  const reader = { bodies, question: null, read: readProposal };
  return {
    name: 'review',
    start: () =>
      // Each reads fresh state by itself: the result of a check in a worker is kept for further attempts of the call.
      serveOperations(runtime, 'review', {
        'review.assign': assign(deps),
        'review.propose': withInput(reader, propose(deps)),
        'review.confirm': confirm(deps),
        'review.approve': approve(deps),
        'review.offer-approval': offerApproval(deps),
        'review.withdraw-approval': withdrawApproval(deps),
        'review.approvals': approvals(deps),
        'review.todo': todo(deps),
      }),
    stop: () => bodies.stop(),
  };
}
