import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { EXTENSION_PROFILES } from '../constants.js';
import { Quorum } from './approval.js';
import { AuditExport } from './audit.js';
import { Evidence } from './evidence.js';
import { RoutePolicy } from './approval-policy.js';
import { Digest, SignedRecord, closed, named, nullable, selectsProfile } from './primitives.js';
import { authorised, reviewed } from './receipt-forms.js';
import { DecisionRequest } from './request.js';

/** The policy is frozen into the request, and with it who may not vote: digests of persons, sorted (protocol §18.3). */
const RequestApproval = closed({
  policy: RoutePolicy,
  policy_digest: Digest,
  excluded: Type.Array(Digest, { maxItems: 256, uniqueItems: true }),
});

const { allOf } = DecisionRequest as unknown as { allOf: readonly object[] };

export const ExtendedDecisionRequest = named(
  'ExtendedDecisionRequest',
  { ...DecisionRequest.properties, approval: RequestApproval },
  {
    allOf: [...allOf, selectsProfile('proto.approval', EXTENSION_PROFILES['proto.approval'])],
  },
);
export type ExtendedDecisionRequest = Static<typeof ExtendedDecisionRequest>;

export const ExtendedDecisionReceipt = Type.Union(
  [
    closed({ ...reviewed.properties, quorum: Quorum }),
    closed({ ...authorised.properties, quorum: Quorum }),
  ],
  { title: 'ExtendedDecisionReceipt' },
);
export type ExtendedDecisionReceipt = Static<typeof ExtendedDecisionReceipt>;

/** `evidence` has the records without a request that the votes cite: the memberships of their givers (protocol §18.9). */
export const ExtendedAuditExport = named('ExtendedAuditExport', {
  ...AuditExport.properties,
  request: ExtendedDecisionRequest,
  evidence: closed({ records: Type.Array(SignedRecord) }),
});
export type ExtendedAuditExport = Static<typeof ExtendedAuditExport>;

export const ExtendedEvidence = named('ExtendedEvidence', {
  ...Evidence.properties,
  export: nullable(ExtendedAuditExport),
});
export type ExtendedEvidence = Static<typeof ExtendedEvidence>;
