import { EXAMPLES } from '@countersign/protocol';
import { clock, sign } from './ledger.js';

const AUDIENCE = 'bot-7';

/** A record of each type of approvals, keys and holds, as its service signs it (protocol §18–§20), and the receipt of such a request. */
export function approvalRecords() {
  const { ApprovalRecord, ApprovalEnded, MembershipConfigured } = EXAMPLES;
  const { CredentialBound, CredentialEnded, LegalHoldSet, LegalHoldLifted } = EXAMPLES;
  const service = { purpose: 'service', profiles: {} } as const;
  const directory = { ...service, audience: 'proto.directory' } as const;
  const custody = { ...service, audience: 'proto.custody' } as const;
  const about = {
    ...{ purpose: ApprovalRecord.purpose, audience: AUDIENCE },
    profiles: EXAMPLES.ExtendedDecisionRequest.profiles,
  };
  return {
    policy: sign(
      'RoutePolicyConfigured',
      { ...service, audience: 'ops-1', issuedAt: clock('08:00:00.000') },
      EXAMPLES.RoutePolicyConfigured,
    ),
    membership: sign(
      'MembershipConfigured',
      { ...directory, issuedAt: Date.parse(MembershipConfigured.configured_at) },
      MembershipConfigured,
    ),
    bound: sign(
      'CredentialBound',
      { ...directory, issuedAt: Date.parse(CredentialBound.bound_at) },
      CredentialBound,
    ),
    keyEnded: sign(
      'CredentialEnded',
      { ...directory, issuedAt: Date.parse(CredentialEnded.ended_at) },
      CredentialEnded,
    ),
    holdSet: sign(
      'LegalHoldSet',
      { ...custody, issuedAt: Date.parse(LegalHoldSet.set_at) },
      LegalHoldSet,
    ),
    holdLifted: sign(
      'LegalHoldLifted',
      { ...custody, issuedAt: Date.parse(LegalHoldLifted.lifted_at) },
      LegalHoldLifted,
    ),
    vote: sign(
      'ApprovalRecord',
      { ...about, issuedAt: Date.parse(ApprovalRecord.approved_at) },
      ApprovalRecord,
    ),
    ending: sign(
      'ApprovalEnded',
      { ...about, issuedAt: Date.parse(ApprovalEnded.ended_at) },
      ApprovalEnded,
    ),
  };
}

export function approvalReceipt() {
  const { ExtendedDecisionReceipt: receipt, ExtendedDecisionRequest: request } = EXAMPLES;
  const { purpose, profiles } = request;
  const issuedAt = Date.parse(receipt.confirmed_at);
  return sign('DecisionReceipt', { purpose, profiles, audience: AUDIENCE, issuedAt }, receipt);
}
