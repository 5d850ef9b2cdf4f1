import { CUSTODIANS, Refusal, verifiedMembership } from '@countersign/protocol';
import type { Trust } from '@countersign/protocol';
import { isOperator } from '@countersign/database';
import type { Principal } from '@countersign/database';

/**
 * Throws `custodian_required` unless the signed membership makes this principal a custodian (protocol §20.1), and
 * `identity_uncertain` where it does not verify.
 */
export function requireCustodian(
  tenant: string,
  principal: Principal,
  membership: string | null,
  trust: Trust,
): void {
  const isCustodian =
    !isOperator(principal) &&
    membership !== null &&
    verifiedMembership(membership, { tenant, principal: principal.id }, trust).groups.includes(
      CUSTODIANS,
    );
  if (!isCustodian) throw new Refusal('custodian_required');
}
