import { claim as decide } from '@countersign/protocol';
import { commit, evidenceIn, openRequest } from '@countersign/database';
import { answer, newId, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { requireStandingAuthority } from '../authority.js';
import type { ExecutionDeps } from '../deps.js';
import { CLAIM } from '../store/index.js';

/**
 * `execution-authority.claim`: consumes the action occurrence, once and for ever (protocol §7 execution-authority.claim).
 * Occurrence, identity, grant, claim record and stored answer commit in one statement, so the answer to a lost reply is
 * found under its key.
 */
export function claim(deps: ExecutionDeps): OperationHandler<'execution-authority.claim'> {
  return async (call) => {
    const { caller, id, key, scope, input, body } = call;
    const found = await deps.store.loadForClaim(caller, id, scope, key, input.execution_identity);
    const opened = await openRequest(deps.directory, caller, found, body);
    if (opened.replay !== null) return storedReply(opened.replay);
    const { row: loaded } = opened;
    const stored = await requireStandingAuthority(deps, caller, opened, 'available');
    const { lifecycle } = stored;
    const transition = decide(
      lifecycle,
      stored,
      {
        input,
        claimId: newId(),
        receiptDigest: loaded.receipt_digest,
        occurrence: {
          request: loaded.occurrence_request,
          consumedBy: loaded.occurrence_consumed_by,
        },
        identityUsed: loaded.identity_used,
      },
      loaded,
      loaded.now,
    );
    const signed = await commit(deps, CLAIM, stored, transition, {
      before: lifecycle.grantDeadline,
      answer: { call, status: 201, result: null },
      own: { owner: stored.owner },
    });
    return answer(201, evidenceIn(signed).text);
  };
}
