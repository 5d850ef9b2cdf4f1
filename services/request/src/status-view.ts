import { asJsonText, effective } from '@countersign/protocol';
import type { JsonText, RequestStatus, States } from '@countersign/protocol';
import type { RequestRow, StoredRequest } from '@countersign/database';

/** Signed originals and the proof as stored text, spliced in unchanged. */
export interface StatusParts {
  readonly receipt: string | null;
  readonly claim: string | null;
  readonly outcome: string | null;
  readonly anchor: string | null;
  /** JSON text of the DeliveryStatus array. */
  readonly deliveries: string;
}

export const NO_PARTS: StatusParts = {
  receipt: null,
  claim: null,
  outcome: null,
  anchor: null,
  deliveries: '[]',
};

/** The sources of a status, besides its parts. */
export type StatusSource = Pick<StoredRequest, 'id' | 'digest' | 'canonical' | 'lifecycle'> & {
  readonly row: Pick<RequestRow, 'now' | 'fence_reason'>;
};

/** RequestStatus (protocol §3.3) as JSON text, with the states that hold at the row's time. */
export function statusText(
  stored: StatusSource,
  parts: StatusParts,
  origin: string,
): JsonText<RequestStatus> {
  const { row } = stored;
  const state = effective(stored.lifecycle, row.now);
  const audit = tenantInConflict(row.fence_reason) ? 'conflict' : state.audit;
  return asJsonText(
    `{"request":${stored.canonical},"request_digest":"${stored.digest}"` +
      `,"decision_state":"${state.decision}","audit_state":"${audit}"` +
      `,"grant_state":"${state.grant}","execution_state":"${state.execution}"` +
      `,"revision":${stored.lifecycle.revision}` +
      `,"receipt":${parts.receipt},"claim":${parts.claim},"outcome":${parts.outcome}` +
      `,"anchor":${parts.anchor},"delivery":${parts.deliveries}` +
      `,"review_link":"${origin}/review/${stored.id}"` +
      `,"polling_link":"${origin}/v2/requests/${stored.id}"}`,
  );
}

/** The columns of a request's states that a list reads. */
export type ListedStates = Pick<
  RequestRow,
  | 'decision'
  | 'audit'
  | 'grant_state'
  | 'execution'
  | 'review_deadline'
  | 'grant_deadline'
  | 'now'
  | 'fence_reason'
>;

/** The four states of a listed request. Due deadlines count, even if they are not written yet (protocol §11.1). */
export function statesIn(row: ListedStates): States {
  const { decision, grant } = effective(
    {
      decision: row.decision,
      grant: row.grant_state,
      reviewDeadline: row.review_deadline,
      grantDeadline: row.grant_deadline,
    },
    row.now,
  );
  const audit = tenantInConflict(row.fence_reason) ? 'conflict' : row.audit;
  return { decision, audit, grant, execution: row.execution };
}

const CONFLICTS = new Set([
  'anchor_conflict',
  'anchor_version_conflict',
  'anchor_deleted_version',
  'anchor_history_invalid',
]);

/** The anchor store contradicts the tenant's ledger: every request shows it (protocol §4.2). */
export function tenantInConflict(fenceReason: string | null): boolean {
  return fenceReason !== null && CONFLICTS.has(fenceReason);
}
