import type { OperationName } from '@countersign/protocol';
import type { Caller } from './caller.js';
import { pick } from './pool.js';
import type { KnownRequest, Pool } from './pool.js';

interface Next {
  readonly operation: OperationName;
  readonly caller: Caller;
}

const AFTERWARDS: readonly OperationName[] = [
  'ledger.export',
  'request.hitl-poll',
  'request.supersede',
  'request.material',
  'request.discard',
];

/** The next step in the life of a request, by its last status; mostly one call, towards its end. */
export function nextStep(request: KnownRequest, pool: Pool, choice: number): Next[] {
  const { cast } = pool;
  const { owner, status } = request;
  const reviewer = pick(cast.reviewers, choice);
  const by = (caller: Caller, operation: OperationName): Next => ({ operation, caller });
  if (status.decision_state === 'pending') {
    const proposer = cast.reviewers.find(({ id }) => request.candidates.has(id));
    if (proposer !== undefined) return [by(proposer, 'review.confirm')];
    return choice % 4 === 0
      ? [by(reviewer, 'review.assign'), by(reviewer, 'review.propose')]
      : [by(reviewer, 'review.propose')];
  }
  if (status.decision_state !== 'confirmed') return [by(owner, 'request.supersede')];
  switch (status.grant_state) {
    case 'available':
      return [by(owner, 'execution-authority.claim')];
    case 'consumed':
      return [executed(status.execution_state, owner, cast.operator, choice)];
    default:
      return [by(owner, pick(AFTERWARDS, choice))];
  }
}

function executed(state: string, owner: Caller, operator: Caller, choice: number): Next {
  const reports = state === 'admitted' ? choice % 3 !== 0 : choice % 4 === 0;
  if (state !== 'claimed' && state !== 'admitted') {
    return { operation: 'execution-authority.reconcile', caller: operator };
  }
  const operation = reports ? 'execution-authority.report-outcome' : 'execution-authority.admit';
  return { operation, caller: owner };
}
