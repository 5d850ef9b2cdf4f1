import { jsonText } from '@countersign/protocol';
import type { DecisionRequest, RequestListItem } from '@countersign/protocol';
import { isOperator, requireCaller } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { statesIn } from '../status-view.js';
import type { ListRow, ListScope } from '../store/lists.js';

const PAGE = 50;
const LAST_OFFSET = 100_000;

/**
 * `request.list`: newest first, 50 a page: the caller's own requests, those that its routes assign to it, or everything for
 * an operator. With `occurrence` an owner's requests of that action occurrence alone.
 */
export function list(deps: RequestDeps): OperationHandler<'request.list'> {
  return async ({ caller, query }) => {
    const { offset, state = '', occurrence } = query;
    const revision = await deps.directory.revision(caller.tenant);
    const principal = await requireCaller(deps.directory, caller, revision);
    // Operators own nothing.
    const rows =
      occurrence !== undefined && principal.kind !== 'operator'
        ? await deps.lists.ofOccurrence(caller, occurrence, offset, state)
        : await deps.lists.list(caller, scopeOf(principal), offset, state);
    const found = rows.filter(isFound);
    const more = found.length > PAGE && offset + PAGE <= LAST_OFFSET;
    return answer(
      200,
      jsonText({
        items: found.slice(0, PAGE).map(itemOf),
        next_offset: more ? offset + PAGE : null,
      }),
    );
  };
}

function scopeOf(principal: Principal): ListScope {
  if (isOperator(principal)) return 'operator';
  return principal.kind === 'human' ? 'human' : 'owner';
}

type Found = ListRow & { readonly request_id: string };

function isFound(row: ListRow): row is Found {
  return row.request_id !== null;
}

function itemOf(row: Found): RequestListItem {
  const leased = row.assignment_expires_at !== null && row.assignment_expires_at > row.now;
  return {
    id: row.request_id,
    summary:
      row.canonical === null ? row.summary : (JSON.parse(row.canonical) as DecisionRequest).summary,
    deadline: new Date(row.review_deadline).toISOString(),
    ...statesIn(row),
    assignment: leased
      ? {
          id: row.assignment_id as string,
          reviewer: row.assignment_reviewer as string,
          expires_at: new Date(row.assignment_expires_at as number).toISOString(),
        }
      : null,
  };
}
