import { effective } from '@countersign/protocol';
import type { DecisionRequest } from '@countersign/protocol';
import { isOperator, requireCaller } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { RequestDeps } from '../module.js';
import { tenantInConflict } from '../status-view.js';
import type { ListRow, ListScope } from '../store/lists.js';

const PAGE = 50;
const LAST_OFFSET = 100_000;

/**
 * `request.list`: newest first, 50 a page: what the caller owns, what its routes assign to it, or everything for an
 * operator.
 */
export function list(deps: RequestDeps): Handler {
  return async (call) => {
    const offset = Number(call.params.offset ?? 0);
    const revision = await deps.requests.directoryRevision(call.caller.tenant);
    const principal = await requireCaller(deps.directory, call.caller, revision);
    const scope: ListScope = isOperator(principal)
      ? 'operator'
      : principal.kind === 'human'
        ? 'human'
        : 'owner';
    const rows = await deps.lists.list(call.caller, scope, offset, call.params.state ?? '');
    const found = rows.filter((row) => row.request_id !== null);
    const more = found.length > PAGE && offset + PAGE <= LAST_OFFSET;
    return answer(
      200,
      JSON.stringify({
        items: found.slice(0, PAGE).map(itemOf),
        next_offset: more ? offset + PAGE : null,
      }),
    );
  };
}

function itemOf(row: ListRow) {
  const due = effective(
    {
      purpose: row.grant_state === 'not_applicable' ? 'review' : 'authorise_execution',
      decision: row.decision,
      audit: row.audit,
      grant: row.grant_state,
      execution: row.execution,
      revision: 0,
      invalidated: null,
      reviewDeadline: row.review_deadline,
      grantDeadline: row.grant_deadline,
      privateDeleteAt: Number.POSITIVE_INFINITY,
      materialDeleted: false,
      remindedAt: null,
      claimed: false,
      outcomeRecorded: false,
      admissions: 0,
    },
    row.now,
  );
  const leased = row.assignment_expires_at !== null && row.assignment_expires_at > row.now;
  return {
    id: row.request_id,
    summary:
      row.canonical === null ? row.summary : (JSON.parse(row.canonical) as DecisionRequest).summary,
    deadline: new Date(row.review_deadline).toISOString(),
    decision: due.decision,
    audit: tenantInConflict(row.fence_reason) ? 'conflict' : due.audit,
    grant: due.grant,
    execution: due.execution,
    assignment: leased
      ? {
          id: row.assignment_id,
          reviewer: row.assignment_reviewer,
          expires_at: new Date(row.assignment_expires_at as number).toISOString(),
        }
      : null,
  };
}
