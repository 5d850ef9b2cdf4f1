import { Refusal, requireAuthority } from '@countersign/protocol';
import type { DecisionReceipt, ExecutionClaim, SignedRecord } from '@countersign/protocol';
import {
  personOf,
  requireEligibleReviewer,
  requireIntegrity,
  requireOwner,
} from '@countersign/database';
import type {
  CallerIdentity,
  Directory,
  Opened,
  RequestRow,
  StoredRequest,
} from '@countersign/database';

/**
 * The request of its owner's call, once AUTHORITY (protocol §6.4) has held: owner → integrity → state → the reviewer who
 * authorised is still enabled and eligible. Throws the Refusal of the first that does not.
 */
export async function requireStandingAuthority(
  directory: Directory,
  caller: CallerIdentity,
  { principal, row, visible }: Opened<RequestRow & { readonly receipt: string | null }>,
  needed: 'available' | 'consumed',
): Promise<StoredRequest> {
  const stored = await visible();
  requireOwner(principal, stored);
  requireIntegrity(stored, caller.tenant);
  requireAuthority(stored.lifecycle, stored, needed, row, row.now);
  await requireStandingReviewer(directory, caller.tenant, stored, row.receipt);
  return stored;
}

/**
 * The reviewer who authorised is still enabled and eligible. One who has taken over the owner's token or entry since then
 * does not use their own decision.
 */
async function requireStandingReviewer(
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

/** The payload of a claim's record, given as text; null when there is none. */
export function claimIn(recordText: string | null): ExecutionClaim | null {
  if (recordText === null) return null;
  return (JSON.parse(recordText) as { payload: ExecutionClaim }).payload;
}
