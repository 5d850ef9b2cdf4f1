import type {
  AUDIT_STATES,
  DECISION_STATES,
  EXECUTION_DECISIONS,
  EXECUTION_STATES,
  GRANT_STATES,
  OUTCOME_STATUSES,
  PURPOSES,
  REVIEW_DECISIONS,
} from '../records/vocabulary.js';

/**
 * The four state machines of a request (protocol §5) as data. Times are epoch milliseconds of the database's clock.
 */
export type Purpose = (typeof PURPOSES)[number];
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];
export type ExecutionDecision = (typeof EXECUTION_DECISIONS)[number];
export type Decision = ReviewDecision | ExecutionDecision;
export type DecisionState = (typeof DECISION_STATES)[number];
export type AuditState = (typeof AUDIT_STATES)[number];
export type GrantState = (typeof GRANT_STATES)[number];
export type OutcomeStatus = (typeof OUTCOME_STATUSES)[number];
export type ExecutionState = (typeof EXECUTION_STATES)[number];

/** Why authority is gone for good (protocol §5.1); never cleared. */
export type Invalidation =
  | 'cancelled'
  | 'revoked'
  | 'superseded'
  | 'retention'
  | 'requester_removed'
  | 'reviewer_removed'
  | 'producer_removed'
  | 'producer_authorisation_changed'
  | 'authorisation_changed'
  | 'namespace_retired'
  | 'approval_withdrawn';

/** Reasons of RequestChangedEvent (protocol §3.5, R33; of approvals §18.6). */
export type EventReason =
  | 'created'
  | 'decision'
  | 'anchor_accepted'
  | 'expiry'
  | 'material_deleted'
  | 'reminder'
  | 'cancelled'
  | 'revoked'
  | 'supersession'
  | 'claimed'
  | 'outcome'
  | 'requester_removed'
  | 'reviewer_removed'
  | 'producer_removed'
  | 'producer_authorisation_changed'
  | 'authorisation_changed'
  | 'reconciliation_due'
  | 'approval'
  | 'approval_ended'
  | 'quorum_unreachable'
  | 'approval_withdrawn';

export interface States {
  readonly decision: DecisionState;
  readonly audit: AuditState;
  readonly grant: GrantState;
  readonly execution: ExecutionState;
}

/** The mutable part of a request: one row, one lock. */
export interface Lifecycle extends States {
  readonly purpose: Purpose;
  /** Events so far; each event carries the revision that it made. */
  readonly revision: number;
  readonly invalidated: Invalidation | null;
  readonly reviewDeadline: number;
  /** Set by confirmation of an execution request, never moved afterwards. */
  readonly grantDeadline: number | null;
  readonly privateDeleteAt: number;
  readonly materialDeleted: boolean;
  readonly remindedAt: number | null;
  readonly claimed: boolean;
  readonly outcomeRecorded: boolean;
  readonly admissions: number;
}

/** A grant that is unused and still usable. */
export function hasUnusedGrant(state: Pick<States, 'grant'>): boolean {
  return state.grant === 'pending_anchor' || state.grant === 'available';
}

/** Private material can be read: it is there, and its time has not come (protocol §11.2). */
export function materialReadable(state: Lifecycle, now: number): boolean {
  return !state.materialDeleted && now < state.privateDeleteAt;
}
