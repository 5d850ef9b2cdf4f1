import { Refusal, jsonText, requirePending, unchanged } from '@countersign/protocol';
import type { Assignment } from '@countersign/protocol';
import { commit } from '@countersign/database';
import { answer, newId } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { ReviewDeps } from '../deps.js';
import { reviewerOperation } from '../reviewer-operation.js';
import { ASSIGN } from '../store/index.js';

const LEASE_MS = 300_000;

/**
 * `review.assign`: an advisory lease of 300 s, never beyond the review deadline; renewal keeps its id. It grants nothing.
 */
export function assign(deps: ReviewDeps): OperationHandler<'review.assign'> {
  return reviewerOperation(deps, 'review.assign', (call) => async ({ row, stored, reviewer }) => {
    const { lifecycle } = stored;
    requirePending(lifecycle, row.now);
    const live = row.assignment_expires_at !== null && row.assignment_expires_at > row.now;
    if (live && row.assignment_reviewer !== reviewer.id) throw new Refusal('review_assigned');
    const assignment: Assignment = {
      id: live && row.assignment_id !== null ? row.assignment_id : newId(),
      reviewer: reviewer.id,
      expires_at: new Date(Math.min(row.now + LEASE_MS, lifecycle.reviewDeadline)).toISOString(),
    };
    const body = jsonText(assignment);
    await commit(deps, ASSIGN, stored, unchanged(lifecycle), {
      before: lifecycle.reviewDeadline,
      answer: { call, status: 200, result: body },
      own: { id: assignment.id, expires_at: assignment.expires_at },
    });
    return answer(200, body);
  });
}
