import { CUSTODIANS, Refusal, verifiedMembership } from '@countersign/protocol';
import type { Trust } from '@countersign/protocol';
import { isOperator } from './access.js';
import type { Principal } from './directory.js';

/**
 * Throws `custodian_required` unless the signed membership makes this principal a custodian, which an operator never is: a hold
 * guards evidence against operators, too (protocol §20.1). Throws `identity_uncertain` where the membership does not verify.
 *
 * @param membership signed text of the MembershipConfigured in force, or null
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
