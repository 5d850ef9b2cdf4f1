import type { DecisionRequest } from '../records/index.js';
import type { Lifecycle } from './state.js';
import { step, unchanged } from './transition.js';
import type { Transition } from './transition.js';

/**
 * `request.create`, and the new request of `request.supersede`, which inherits the time of the last reminder
 * (protocol §7). Its occurrence belongs to no other request.
 */
export function create(request: DecisionRequest, remindedAt: number | null): Transition {
  const { purpose, execution } = request;
  const isExecution = purpose === 'authorise_execution';
  const start: Lifecycle = {
    purpose,
    decision: 'pending',
    audit: 'unanchored',
    grant: isExecution ? 'none' : 'not_applicable',
    execution: isExecution ? 'unclaimed' : 'not_applicable',
    revision: 0,
    invalidated: null,
    reviewDeadline: Date.parse(request.review_deadline),
    grantDeadline: null,
    privateDeleteAt: Date.parse(request.private_delete_at),
    materialDeleted: false,
    remindedAt,
    claimed: false,
    outcomeRecorded: false,
    admissions: 0,
  };
  return step(
    unchanged(start),
    'created',
    {},
    {
      deadlines: [
        { kind: 'review', due: start.reviewDeadline },
        { kind: 'private_deletion', due: start.privateDeleteAt },
        { kind: 'audit_deletion', due: Date.parse(request.audit_delete_at) },
      ],
      takes:
        execution === undefined
          ? []
          : [{ fact: 'occurrence', value: execution.action_occurrence_id }],
    },
  );
}
