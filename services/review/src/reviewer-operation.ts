import { Refusal, materialReadable } from '@countersign/protocol';
import type { OperationTypes, Person } from '@countersign/protocol';
import {
  lifecycleOf,
  openRequest,
  requireEligibleReviewer,
  withFreshState,
} from '@countersign/database';
import type { StoredRequest } from '@countersign/database';
import { storedReply } from '@countersign/platform';
import type { OperationAnswer, OperationCall } from '@countersign/platform';
import { decidedByApprovals, isMember, requireApprovals, requireNotExcluded } from './approvals.js';
import type { ReviewDeps } from './deps.js';
import type { ReviewRow } from './store/index.js';

export interface OpenedReview {
  readonly row: ReviewRow;
  readonly stored: StoredRequest;
  readonly reviewer: Person;
}

type ReviewerOperation =
  | 'review.assign'
  | 'review.propose'
  | 'review.confirm'
  | 'review.approve'
  | 'review.offer-approval';

/**
 * The common way of reviewers who write: caller → stored answer (R5) → VIS → ELIG, then
 * the operation's own step, all of it again when another call was faster. `begin` runs once per call, its result once per
 * attempt.
 */
export function reviewerOperation<
  Name extends ReviewerOperation,
  Input = OperationTypes[Name]['arriving'],
>(
  deps: ReviewDeps,
  name: Name,
  begin: (
    call: OperationCall<Name, Input>,
  ) => (open: OpenedReview) => Promise<OperationAnswer<Name>>,
): (call: OperationCall<Name, Input>) => Promise<OperationAnswer<Name>> {
  return async (call) => {
    const { caller, id, key, scope, body } = call;
    const { tenant } = caller;
    const attempt = begin(call);
    return withFreshState(async () => {
      const found = await deps.store.load(caller, id, scope, key);
      const opened = await openRequest(deps.directory, caller, found, body);
      const { row } = opened;
      if (opened.replay !== null) {
        // A frozen candidate is private material, and gone with it even while its deletion is late (protocol §11.2).
        if (name === 'review.propose' && !materialReadable(lifecycleOf(row), row.now)) {
          throw new Refusal('idempotent_result_expired');
        }
        return storedReply(opened.replay);
      }
      const stored = await opened.visible();
      const votes = name === 'review.approve' || name === 'review.offer-approval';
      if (votes) requireApprovals(stored);
      const reviewer = await requireEligibleReviewer(
        deps.directory,
        tenant,
        opened.principal.id,
        stored,
        'decide',
        deps.profiles,
        votes ? () => isMember(deps, opened.principal.id, stored) : undefined,
      );
      if (decidedByApprovals(stored)) await requireNotExcluded(deps, reviewer.id, stored);
      return attempt({ row, stored, reviewer });
    });
  };
}
