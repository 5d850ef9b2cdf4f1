import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { EXTENSION_PROFILES } from '../constants.js';
import { Quorum } from './approval.js';
import { RoutePolicy } from './approval-policy.js';
import { Digest, closed, named, selectsProfile } from './primitives.js';
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
