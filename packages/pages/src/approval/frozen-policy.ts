import type { DecisionRequest, ExtendedDecisionRequest } from '@countersign/protocol';

export type FrozenApproval = ExtendedDecisionRequest['approval'];

/** The rules that a request of several people carries (protocol §18.3); null where one person decides. */
export function approvalOf(request: DecisionRequest): FrozenApproval | null {
  return (request as Partial<ExtendedDecisionRequest>).approval ?? null;
}
