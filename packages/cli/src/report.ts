import { votersOf } from '@countersign/client/approvals';
import type { Voter } from '@countersign/client/approvals';
import { ServiceRefusal, material } from '@countersign/client/node';
import type { Client, JsonValue, RequestStatus } from '@countersign/client/node';

/** What `--json` prints of a request. */
export interface Report {
  readonly request_id: string;
  readonly review_link: string;
  readonly summary: string;
  readonly decision_state: RequestStatus['decision_state'];
  /** Null before a decision. */
  readonly decision: string | null;
  readonly reviewer: string | null;
  /** Those whose votes count, where several people decided. */
  readonly voters?: readonly Voter[];
  readonly decided_at: string | null;
  readonly review_deadline: string;
  readonly audit_state: RequestStatus['audit_state'];
  readonly grant_state: RequestStatus['grant_state'];
  readonly execution_state: RequestStatus['execution_state'];
}

interface Receipt {
  readonly decision: string;
  readonly reviewer: string;
  readonly confirmed_at: string;
}

function receiptOf({ receipt }: RequestStatus): Receipt | null {
  return (receipt?.payload ?? null) as Receipt | null;
}

export function decisionOf(status: RequestStatus): string | null {
  return receiptOf(status)?.decision ?? null;
}

export function reportOf(status: RequestStatus): Report {
  const { request, review_link } = status;
  const { decision_state, audit_state, grant_state, execution_state } = status;
  const receipt = receiptOf(status);
  const voters = votersOf(status);
  return {
    request_id: request.id,
    review_link,
    summary: request.summary,
    decision_state,
    decision: receipt?.decision ?? null,
    reviewer: receipt?.reviewer ?? null,
    ...(voters !== null && { voters }),
    decided_at: receipt?.confirmed_at ?? null,
    review_deadline: request.review_deadline,
    ...{ audit_state, grant_state, execution_state },
  };
}

/** One sentence about where a request is. */
export function sentenceOf(status: RequestStatus): string {
  const { decision_state, request, execution_state } = status;
  const receipt = receiptOf(status);
  if (receipt === null)
    return decision_state === 'pending'
      ? `Waits for a decision until ${request.review_deadline}.`
      : `Ended without a decision: ${decision_state}.`;
  const words = { answer: 'Answered', approve: 'Approved', authorise: 'Authorised' };
  const verb = words[receipt.decision as keyof typeof words] ?? 'Refused';
  const ended = ['not_applicable', 'unclaimed'].includes(execution_state)
    ? ''
    : ` Execution: ${execution_state}.`;
  const invalid = decision_state === 'confirmed' ? '' : ` It was ${decision_state} since.`;
  return `${verb} by ${decidersOf(status, receipt)} at ${receipt.confirmed_at}.${invalid}${ended}`;
}

function decidersOf(status: RequestStatus, { reviewer }: Receipt): string {
  const voters = votersOf(status);
  if (voters === null) return reviewer;
  return voters
    .map((voter) => (voter.group === null ? voter.reviewer : `${voter.reviewer} (${voter.group})`))
    .join(', ');
}

/**
 * The reviewer's answer, verified against the receipt; undefined before a decision, and once the service has deleted it.
 *
 * @throws as `Client.call`
 */
export async function responseTo(
  client: Client,
  status: RequestStatus,
): Promise<JsonValue | undefined> {
  if (status.receipt === null) return undefined;
  try {
    const { candidate } = await client.call(material, { id: status.request.id });
    return candidate?.response;
  } catch (error) {
    if (error instanceof ServiceRefusal && error.status === 410) return undefined;
    throw error;
  }
}
