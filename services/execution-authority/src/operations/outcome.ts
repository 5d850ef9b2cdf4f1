import {
  Refusal,
  asJsonText,
  canonicalText,
  claimsEffectUnadmitted,
  reconcile as decideReconciliation,
  report as decideReport,
} from '@countersign/protocol';
import type { ExecutionClaim, ExecutionOutcome, SignedRecord } from '@countersign/protocol';
import {
  openRequest,
  requireIntegrity,
  requireOperator,
  requireOwner,
} from '@countersign/database';
import { answer, newId, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { ExecutionDeps } from '../deps.js';

/**
 * `execution-authority.report-outcome`: what the executor says happened. Evidence, so it is taken after expiry and
 * revocation too (R11).
 */
export function reportOutcome(
  deps: ExecutionDeps,
): OperationHandler<'execution-authority.report-outcome'> {
  return outcomeOperation(deps, 'ExecutionOutcome');
}

/** `execution-authority.reconcile`: an operator settles it, with a reason and evidence; every earlier record is kept. */
export function reconcile(deps: ExecutionDeps): OperationHandler<'execution-authority.reconcile'> {
  return outcomeOperation(deps, 'ExecutionReconciliation');
}

function outcomeOperation(
  deps: ExecutionDeps,
  type: 'ExecutionOutcome' | 'ExecutionReconciliation',
): OperationHandler<'execution-authority.report-outcome' | 'execution-authority.reconcile'> {
  const reconciling = type === 'ExecutionReconciliation';
  return async ({ caller, id, key, scope, input: outcome, text }) => {
    if (caller.kind === 'monitor') throw new Refusal('operator_required');
    if (caller.kind === 'publisher' || caller.kind === 'auditor') throw new Refusal('not_found');
    const recorder = reconciling ? 'operator' : caller.kind;
    const row = await deps.store.loadForOutcome(caller, id, scope, key);
    const opened = await openRequest(deps.directory, caller, row, text);
    if (reconciling) requireOperator(opened.principal);
    if (opened.replay !== null) return storedReply(opened.replay);
    const stored = await opened.visible();
    if (!reconciling) requireOwner(opened.principal, stored);
    const loaded = row as NonNullable<typeof row>;
    const { request, lifecycle } = stored;
    requireIntegrity(stored, caller.tenant);
    const claim = (JSON.parse(loaded.claim ?? 'null') as { payload: ExecutionClaim } | null)
      ?.payload;
    const command = {
      ownClaim: claim?.execution_identity === outcome.execution_identity,
      status: outcome.status,
      reconciliationSeconds: request.limits.reconciliation_seconds,
    };
    if (reconciling) requireEvidence(outcome);
    else if (command.ownClaim && sameOutcome(loaded.outcome, text)) {
      return answer(200, asJsonText<SignedRecord>(loaded.outcome as string));
    }
    const { next, events } = reconciling
      ? decideReconciliation(lifecycle, command, loaded.now)
      : decideReport(lifecycle, command, loaded.now);
    const subject = {
      tenant: caller.tenant,
      audience: stored.owner,
      purpose: request.purpose,
      profiles: request.profiles,
    };
    const [record, changes] = await Promise.all([
      deps.notary.issue(type, subject, loaded.now, {
        claim_digest: loaded.claim_digest,
        outcome,
        recorded_at: new Date(loaded.now).toISOString(),
        recorded_by: { kind: recorder, subject: caller.id },
        request_id: id,
      }),
      deps.notary.events(id, subject, events, loaded.now),
    ]);
    const incident =
      !reconciling && claimsEffectUnadmitted(lifecycle, outcome.status) ? newId() : null;
    await deps.store.recordOutcome(
      {
        tenant: caller.tenant,
        directoryRevision: loaded.directory_revision,
        requestId: id,
        version: stored.version,
        before: null,
        records: [record, ...changes],
        deadlines: [{ kind: 'private_deletion', due: next.privateDeleteAt }],
        answer: {
          principal: caller.id,
          operation: scope,
          key,
          body: text,
          status: 200,
          result: null,
          recordId: record.id,
        },
      },
      next,
      record.id,
      incident,
    );
    deps.chained(caller.tenant);
    return answer(200, record.text);
  };
}

/**
 * The report that is already on record, word for word: its record is the answer
 * (protocol §7 execution-authority.report-outcome).
 */
function sameOutcome(recordText: string | null, canonicalOutcome: string): boolean {
  if (recordText === null) return false;
  const { protected: header, payload } = JSON.parse(recordText) as {
    protected: { type: string };
    payload: { outcome: unknown };
  };
  return header.type === 'ExecutionOutcome' && canonicalText(payload.outcome) === canonicalOutcome;
}

/** Protocol §7 execution-authority.reconcile: `details.reason` and `details.evidence` must both say something. */
function requireEvidence(outcome: ExecutionOutcome): void {
  const { reason, evidence } = outcome.details as { reason?: unknown; evidence?: unknown };
  if (!reason || !evidence) throw new Refusal('reconciliation_evidence_required');
}
