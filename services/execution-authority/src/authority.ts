import { Refusal, requireAuthority } from '@countersign/protocol';
import type { ExecutionClaim, Quorum } from '@countersign/protocol';
import {
  personOf,
  requireEligibleReviewer,
  requireIntegrity,
  requireOwner,
} from '@countersign/database';
import type { CallerIdentity, Opened, RequestRow, StoredRequest } from '@countersign/database';
import type { ExecutionDeps } from './deps.js';

/**
 * The request of its owner's call, once AUTHORITY (protocol §6.4) has held: owner → integrity → state → those who
 * authorised are still enabled and eligible. Throws the Refusal of the first that does not.
 */
export async function requireStandingAuthority(
  { directory, profiles }: Pick<ExecutionDeps, 'directory' | 'profiles'>,
  caller: CallerIdentity,
  { principal, row, visible }: Opened<RequestRow & { readonly receipt: string | null }>,
  needed: 'available' | 'consumed',
): Promise<StoredRequest> {
  const stored = await visible();
  requireOwner(principal, stored);
  requireIntegrity(stored, caller.tenant, profiles);
  requireAuthority(stored.lifecycle, stored, needed, row, row.now);
  for (const reviewer of reviewersIn(row.receipt)) {
    await requireStandingReviewer({ directory, profiles }, caller.tenant, stored, reviewer);
  }
  return stored;
}

/** Who authorised: the reviewer of the receipt, or everyone whose vote it counts. Throws `authority_revoked` without a receipt. */
function reviewersIn(receiptText: string | null): string[] {
  if (receiptText === null) throw new Refusal('authority_revoked');
  const { payload } = JSON.parse(receiptText) as {
    payload: { readonly reviewer: string; readonly quorum?: Quorum };
  };
  return payload.quorum?.approvals.map(({ reviewer }) => reviewer) ?? [payload.reviewer];
}

/**
 * A reviewer who authorised is still enabled and eligible. One who has taken over the owner's token or entry since then
 * does not use their own decision.
 */
async function requireStandingReviewer(
  { directory, profiles }: Pick<ExecutionDeps, 'directory' | 'profiles'>,
  tenant: string,
  stored: StoredRequest,
  id: string,
): Promise<void> {
  const reviewer = personOf(await directory.principal(tenant, id, stored.row.directory_revision));
  if (reviewer?.enabled !== true) throw new Refusal('reviewer_ineligible');
  await requireEligibleReviewer(directory, tenant, reviewer.id, stored, 'use', profiles);
}

/** The payload of a claim's record, given as text; null when there is none. */
export function claimIn(recordText: string | null): ExecutionClaim | null {
  if (recordText === null) return null;
  return (JSON.parse(recordText) as { payload: ExecutionClaim }).payload;
}
