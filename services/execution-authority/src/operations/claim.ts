import { Refusal, claim as decide, requireAuthority, valueDigest } from '@countersign/protocol';
import { openRequest, requireIntegrity, requireOwner } from '@countersign/database';
import { answer, newId, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { requireNamespace, requireStandingReviewer } from '../authority.js';
import type { ExecutionDeps } from '../deps.js';

/**
 * `execution-authority.claim`: consumes the action occurrence, once and for ever (protocol §7 execution-authority.claim).
 * Occurrence, identity, grant, claim record and stored answer commit in one statement, so the answer to a lost reply is
 * found under its key.
 */
export function claim(deps: ExecutionDeps): OperationHandler<'execution-authority.claim'> {
  return async ({ caller, id, key, scope, input, text }) => {
    const row = await deps.store.loadForClaim(caller, id, scope, key, input.execution_identity);
    const opened = await openRequest(deps.directory, caller, row, text);
    if (opened.replay !== null) return storedReply(opened.replay);
    const stored = await opened.visible();
    requireOwner(opened.principal, stored);
    const loaded = row as NonNullable<typeof row>;
    const { request, lifecycle } = stored;
    requireIntegrity(stored, caller.tenant);
    requireNamespace(stored);
    requireAuthority(lifecycle, 'available', loaded.fenced, loaded.now);
    await requireStandingReviewer(deps.directory, caller.tenant, stored, loaded.receipt);
    const execution = request.execution as NonNullable<typeof request.execution>;
    if (valueDigest(execution) !== input.execution_binding_digest) {
      throw new Refusal('execution_binding_changed');
    }
    if (loaded.occurrence_request !== id || loaded.occurrence_consumed_by !== null) {
      throw new Refusal('occurrence_consumed');
    }
    if (loaded.identity_used) throw new Refusal('identity_conflict');

    const { next, events } = decide(lifecycle, loaded.fenced, loaded.now);
    const dispatchBefore = next.grantDeadline as number;
    const subject = {
      tenant: caller.tenant,
      audience: stored.owner,
      purpose: request.purpose,
      profiles: request.profiles,
    };
    const [record, changes] = await Promise.all([
      deps.notary.issue('ExecutionClaim', subject, loaded.now, {
        action_occurrence_id: execution.action_occurrence_id,
        claimed_at: new Date(loaded.now).toISOString(),
        dispatch_before: new Date(dispatchBefore).toISOString(),
        execution_binding_digest: input.execution_binding_digest,
        execution_identity: input.execution_identity,
        execution_seconds: execution.execution_seconds,
        id: newId(),
        receipt_digest: loaded.receipt_digest,
        request_digest: stored.digest,
        request_id: id,
      }),
      deps.notary.events(id, subject, events, loaded.now),
    ]);
    await deps.store.claim(
      {
        tenant: caller.tenant,
        directoryRevision: loaded.directory_revision,
        requestId: id,
        version: stored.version,
        before: dispatchBefore,
        records: [record, ...changes],
        deadlines: [
          { kind: 'reconciliation', due: dispatchBefore + execution.execution_seconds * 1000 },
        ],
        answer: {
          principal: caller.id,
          operation: scope,
          key,
          body: text,
          status: 201,
          result: null,
          recordId: record.id,
        },
      },
      next,
      record.id,
      {
        owner: stored.owner,
        occurrence: execution.action_occurrence_id,
        identity: input.execution_identity,
      },
    );
    deps.chained(caller.tenant);
    return answer(201, record.text);
  };
}
