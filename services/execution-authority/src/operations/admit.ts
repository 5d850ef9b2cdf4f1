import { Refusal, admit as decide, requireAuthority } from '@countersign/protocol';
import type { ExecutionClaim } from '@countersign/protocol';
import { openRequest, requireIntegrity, requireOwner } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { requireNamespace, requireStandingReviewer } from '../authority.js';
import type { ExecutionDeps } from '../deps.js';

/**
 * `execution-authority.admit`: a fresh permit for the claim, bounded by the grant's own deadline, which no permit moves
 * (protocol §7 execution-authority.admit). The nonce is spent in the same statement: a replay finds it there, on every
 * replica.
 */
export function admit(deps: ExecutionDeps): OperationHandler<'execution-authority.admit'> {
  return async ({ caller, id, input, text }) => {
    const row = await deps.store.loadForAdmission(caller, id, input.nonce);
    const opened = await openRequest(deps.directory, caller, row, text);
    const stored = await opened.visible();
    requireOwner(opened.principal, stored);
    const loaded = row as NonNullable<typeof row>;
    const { request, lifecycle } = stored;
    requireIntegrity(stored, caller.tenant);
    requireNamespace(stored);
    requireAuthority(lifecycle, 'consumed', loaded.fenced, loaded.now);
    await requireStandingReviewer(deps.directory, caller.tenant, stored, loaded.receipt);
    const claim = (JSON.parse(loaded.claim ?? 'null') as { payload: ExecutionClaim } | null)
      ?.payload;
    const ownClaim =
      claim !== undefined &&
      claim.id === input.claim_id &&
      claim.execution_identity === input.execution_identity;
    const { next, events } = decide(lifecycle, { ownClaim }, loaded.fenced, loaded.now);
    if (loaded.nonce_used) throw new Refusal('nonce_reused');

    const subject = {
      tenant: caller.tenant,
      audience: stored.owner,
      purpose: request.purpose,
      profiles: request.profiles,
    };
    const [record, changes] = await Promise.all([
      deps.notary.issueCanonical(
        'AdmissionStatus',
        subject,
        loaded.now,
        // Canonical order; the proof is spliced in as the text that it already is.
        `{"anchor":${loaded.anchor},` +
          JSON.stringify({
            checked_at: new Date(loaded.now).toISOString(),
            claim_digest: loaded.claim_digest,
            claim_id: claim?.id,
            dispatch_before: claim?.dispatch_before,
            execution_binding_digest: claim?.execution_binding_digest,
            execution_identity: claim?.execution_identity,
            execution_seconds: claim?.execution_seconds,
            nonce: input.nonce,
            request_id: id,
          }).slice(1),
      ),
      deps.notary.events(id, subject, events, loaded.now),
    ]);
    await deps.store.admit(
      {
        tenant: caller.tenant,
        directoryRevision: loaded.directory_revision,
        requestId: id,
        version: stored.version,
        before: lifecycle.grantDeadline,
        records: [record, ...changes],
        deadlines: [],
        answer: null,
      },
      next,
      input.nonce,
    );
    deps.chained(caller.tenant);
    return answer(200, record.text);
  };
}
