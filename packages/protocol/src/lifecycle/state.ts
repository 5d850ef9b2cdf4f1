/**
 * The four state machines of a request (protocol §5) as data. Every command of this folder is a pure function
 * `(state, …, now) → Transition`, or throws a `Refusal`. Times are epoch milliseconds of the database's clock.
 */
export type Purpose = 'review' | 'authorise_execution';
export type DecisionState = 'pending' | 'confirmed' | 'cancelled' | 'expired' | 'superseded';
export type AuditState = 'unanchored' | 'pending' | 'anchored' | 'conflict';
export type GrantState =
  'not_applicable' | 'none' | 'pending_anchor' | 'available' | 'expired' | 'revoked' | 'consumed';
export type OutcomeStatus =
  | 'completed'
  | 'failed'
  | 'failed_partial'
  | 'uncertain'
  | 'cancelled_before_dispatch'
  | 'abandoned';
export type ExecutionState =
  'not_applicable' | 'unclaimed' | 'claimed' | 'admitted' | OutcomeStatus;

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
  | 'namespace_retired';

/** Reasons of RequestChangedEvent (protocol §3.5, R33). */
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
  | 'reconciliation_due';

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

/** What a RequestChangedEvent says of one step. */
export interface LifecycleEvent {
  readonly reason: EventReason;
  readonly revision: number;
  readonly state: States;
  readonly deadline: number;
}

export interface Transition {
  readonly next: Lifecycle;
  readonly events: readonly LifecycleEvent[];
}

/** A request as it starts. */
export function created(
  purpose: Purpose,
  times: { reviewDeadline: number; privateDeleteAt: number; remindedAt?: number | null },
): Transition {
  const execution = purpose === 'authorise_execution';
  return step(
    {
      next: {
        purpose,
        decision: 'pending',
        audit: 'unanchored',
        grant: execution ? 'none' : 'not_applicable',
        execution: execution ? 'unclaimed' : 'not_applicable',
        revision: 0,
        invalidated: null,
        reviewDeadline: times.reviewDeadline,
        grantDeadline: null,
        privateDeleteAt: times.privateDeleteAt,
        materialDeleted: false,
        remindedAt: times.remindedAt ?? null,
        claimed: false,
        outcomeRecorded: false,
        admissions: 0,
      },
      events: [],
    },
    'created',
    {},
  );
}

/** Changes the state and says so in one event. */
export function step(
  from: Transition,
  reason: EventReason,
  changes: Partial<Lifecycle>,
): Transition {
  const next: Lifecycle = { ...from.next, ...changes, revision: from.next.revision + 1 };
  const event: LifecycleEvent = {
    reason,
    revision: next.revision,
    // In canonical order, as the event writes it.
    state: {
      audit: next.audit,
      decision: next.decision,
      execution: next.execution,
      grant: next.grant,
    },
    deadline: next.grantDeadline ?? next.reviewDeadline,
  };
  return { next, events: [...from.events, event] };
}

/** Changes the state without an event (protocol §3.5: assignment, candidate, admission, reads). */
export function quietly(from: Transition, changes: Partial<Lifecycle>): Transition {
  return { next: { ...from.next, ...changes }, events: from.events };
}

/** A grant that nobody has used yet and still could. */
export function hasUnusedGrant(state: States): boolean {
  return state.grant === 'pending_anchor' || state.grant === 'available';
}

/** Private material can be read: it is there, and its time has not come (protocol §11.2). */
export function materialReadable(state: Lifecycle, now: number): boolean {
  return !state.materialDeleted && now < state.privateDeleteAt;
}
