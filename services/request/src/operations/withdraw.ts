import {
  Refusal,
  cancel as toCancelled,
  deleteMaterial,
  revoke as toRevoked,
} from '@countersign/protocol';
import type { Transition } from '@countersign/protocol';
import { commit, openRequest, requireOwnerOrOperator } from '@countersign/database';
import type { StepStatement, StoredRequest, Values } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type {
  Caller,
  OperationAnswer,
  OperationCall,
  OperationHandler,
} from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { statusText } from '../status-view.js';
import { DISCARD, WITHDRAW } from '../store/requests.js';

/** `request.cancel`: the request ends; unused authority is gone, permits already issued keep their bound. No state test. */
export function cancel(deps: RequestDeps): OperationHandler<'request.cancel'> {
  return withdrawal(deps, ({ lifecycle, row }) => toCancelled(lifecycle, row.now));
}

/** `request.revoke`: as cancelling, but distinct in the records. */
export function revoke(deps: RequestDeps): OperationHandler<'request.revoke'> {
  return withdrawal(deps, ({ lifecycle, row }) => toRevoked(lifecycle, row.now));
}

/** `request.discard`: private material goes now, its proof stays; new admission is blocked. Not of a request that is held. */
export function discard(deps: RequestDeps): OperationHandler<'request.discard'> {
  return withdrawal(
    deps,
    (stored, caller) =>
      deleteMaterial(stored.lifecycle, stored, recorderOf(caller), stored.row.now),
    {
      statement: DISCARD,
      values: ({ id: actor, kind: actor_kind }) => ({ actor, actor_kind }),
    },
  );
}

type Withdrawal = 'request.cancel' | 'request.revoke' | 'request.discard';

/** How a withdrawal is saved; `values`: the statement's own. */
interface SavedBy {
  readonly statement: StepStatement;
  readonly values: (caller: Caller) => Values;
}

/** The step that the three have in common. */
function withdrawal(
  deps: RequestDeps,
  decide: (stored: StoredRequest, caller: Caller) => Transition,
  { statement, values }: SavedBy = { statement: WITHDRAW, values: () => ({}) },
) {
  return async (call: OperationCall<Withdrawal>): Promise<OperationAnswer<Withdrawal>> => {
    const { caller, id, key, scope, body } = call;
    const found = await deps.requests.status(caller, id, scope, key);
    const opened = await openRequest(deps.directory, caller, found, body);
    if (opened.replay !== null) return storedReply(opened.replay);
    const stored = await opened.visible();
    requireOwnerOrOperator(opened.principal, stored);
    const transition = decide(stored, caller);
    const { next } = transition;
    const answered = statusText({ ...stored, lifecycle: next }, opened.row, deps.notary.origin);
    const kept = { call, status: 200, result: answered };
    await commit(deps, statement, stored, transition, { answer: kept, own: values(caller) });
    return answer(200, answered);
  };
}

/** Only owners and operators come this far (`requireOwnerOrOperator`). */
function recorderOf({ kind, id }: Caller) {
  if (kind !== 'producer' && kind !== 'operator' && kind !== 'human') {
    throw new Refusal('forbidden');
  }
  return { kind, subject: id };
}
