import { Refusal } from '@countersign/protocol';
import type { DecisionReceipt, SignedRecord } from '@countersign/protocol';
import { personOf, requireEligibleReviewer } from '@countersign/database';
import type { Directory, StoredRequest } from '@countersign/database';

/**
 * The last part of AUTHORITY (protocol §6.4), after the state has been asked: the reviewer who authorised is still
 * enabled and still eligible. Who has taken over the owner's token or entry since then does not use their own decision.
 */
export async function requireStandingReviewer(
  directory: Directory,
  tenant: string,
  stored: StoredRequest,
  receiptText: string | null,
): Promise<void> {
  if (receiptText === null) throw new Refusal('authority_revoked');
  const receipt = JSON.parse(receiptText) as SignedRecord & { payload: DecisionReceipt };
  const reviewer = personOf(
    await directory.principal(tenant, receipt.payload.reviewer, stored.row.directory_revision),
  );
  if (reviewer?.enabled !== true) throw new Refusal('reviewer_ineligible');
  await requireEligibleReviewer(directory, tenant, reviewer.id, stored, 'use');
}

/**
 * NAMESPACE: authority of a retired generation is never used (R18). Purpose and fence answer before it (protocol §6.4),
 * so it is asked before the state and leaves both alone.
 */
export function requireNamespace({ request, row }: StoredRequest): void {
  if (request.purpose !== 'authorise_execution' || row.fenced) return;
  if (request.authority_namespace !== row.generation) {
    throw new Refusal('namespace_retired', { status: 409 });
  }
}
