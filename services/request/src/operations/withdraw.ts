import {
  Refusal,
  cancel as toCancelled,
  deleteMaterial,
  revoke as toRevoked,
} from '@countersign/protocol';
import type { Lifecycle, Transition } from '@countersign/protocol';
import { openRequest, requireOwnerOrOperator, storedRequest } from '@countersign/database';
import type { RequestRow } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { Caller, OperationHandler } from '@countersign/platform';
import { discardedRecords } from '../discarded.js';
import type { RequestDeps } from '../deps.js';
import { statusText } from '../status-view.js';

/** `request.cancel`: the request ends; unused authority is gone, permits already issued keep their bound. No state test. */
export function cancel(deps: RequestDeps): OperationHandler<'request.cancel'> {
  return withdrawal(deps, 'request.cancel', toCancelled);
}

/** `request.revoke`: as cancelling, told apart in the records. */
export function revoke(deps: RequestDeps): OperationHandler<'request.revoke'> {
  return withdrawal(deps, 'request.revoke', toRevoked);
}

/** `request.discard`: private material goes now, its proof stays; new admission is blocked. */
export function discard(deps: RequestDeps): OperationHandler<'request.discard'> {
  return withdrawal(deps, 'request.discard', deleteMaterial);
}

type Withdrawal = 'request.cancel' | 'request.revoke' | 'request.discard';

function withdrawal(
  deps: RequestDeps,
  name: Withdrawal,
  decide: (state: Lifecycle, now: number) => Transition,
): OperationHandler<Withdrawal> {
  const discarding = name === 'request.discard';
  return async ({ caller, id, key, scope, text }) => {
    const row = await deps.requests.status(caller, id, scope, key);
    const opened = await openRequest(deps.directory, caller, row, text);
    if (opened.replay !== null) return storedReply(opened.replay);
    const stored = await opened.visible();
    requireOwnerOrOperator(opened.principal, stored);
    const loaded = row as NonNullable<typeof row>;
    const { next, events } =
      discarding && stored.lifecycle.materialDeleted
        ? { next: stored.lifecycle, events: [] }
        : decide(stored.lifecycle, loaded.now);
    const subject = {
      tenant: caller.tenant,
      audience: stored.owner,
      purpose: stored.request.purpose,
      profiles: stored.request.profiles,
    };
    const records =
      discarding && events.length > 0
        ? await discardedRecords(deps.notary, caller.tenant, stored, events, recorderOf(caller))
        : await deps.notary.events(id, subject, events, loaded.now);
    const after: RequestRow = { ...loaded, ...rowOf(next) };
    const moved = storedRequest(after) as NonNullable<ReturnType<typeof storedRequest>>;
    const body = statusText(moved, loaded, deps.notary.origin);
    await deps.requests.withdraw(
      {
        tenant: caller.tenant,
        directoryRevision: loaded.directory_revision,
        requestId: id,
        version: stored.version,
        before: null,
        records,
        // The worker sees to what was on its way beside this.
        deadlines: discarding ? [{ kind: 'private_deletion', due: next.privateDeleteAt }] : [],
        answer: {
          principal: caller.id,
          operation: scope,
          key,
          body: text,
          status: 200,
          result: body,
          recordId: null,
        },
      },
      next,
      discarding ? caller : null,
    );
    deps.chained(caller.tenant);
    return answer(200, body);
  };
}

/** Only owners and operators come this far (`requireOwnerOrOperator`). */
function recorderOf({ kind, id }: Caller) {
  if (kind !== 'producer' && kind !== 'operator' && kind !== 'human') {
    throw new Refusal('forbidden');
  }
  return { kind, subject: id };
}

function rowOf(next: Lifecycle): Partial<RequestRow> {
  return {
    decision: next.decision,
    grant_state: next.grant,
    invalidated: next.invalidated,
    revision: next.revision,
    private_delete_at: next.privateDeleteAt,
    material_deleted: next.materialDeleted,
  };
}
