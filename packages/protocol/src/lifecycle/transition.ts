import type { Digest } from '../json/canonical.js';
import type { DecisionRequest, IncidentCode, PayloadOf, RecordType } from '../records/index.js';
import type { EventReason, Lifecycle, States } from './state.js';

/**
 * Everything that a step leaves behind. Every command of this folder is a pure function from a state, its input and the time
 * to a transition; it throws a `Refusal` where the step is not allowed. The ids of records and incidents come with the save.
 */
export interface Transition {
  readonly next: Lifecycle;
  /** In the order of the ledger: a record comes before the event about it (protocol §4.1). */
  readonly records: readonly Draft[];
  /** Each is set, or moved to an earlier time. */
  readonly deadlines: readonly Deadline[];
  /** Deadlines at which nothing is left to do; where the save leaves them, their worker finds out. */
  readonly settled: readonly DeadlineKind[];
  readonly incidents: readonly IncidentCode[];
  readonly takes: readonly UniqueFact[];
}

/** The content of a RequestChangedEvent for one step; its signer adds ids and links. */
export interface LifecycleEvent {
  readonly reason: EventReason;
  readonly revision: number;
  readonly state: States;
  readonly deadline: number;
}

type EvidenceType = 'DecisionReceipt' | 'ExecutionClaim' | 'MaterialDiscarded' | 'ApprovalEnded';
type OutcomeType = 'ExecutionOutcome' | 'ExecutionReconciliation';

/** `canonical`: members of the payload that are canonical texts already. */
interface SplicedDraft<Type extends RecordType, Member extends keyof PayloadOf<Type> & string> {
  readonly type: Type;
  readonly payload: Omit<PayloadOf<Type>, Member>;
  readonly canonical: { readonly [Each in Member]: string };
}

/** The payload of a record that is not signed yet. Members are written in canonical order, which is serialised fastest. */
export type Draft =
  | { readonly type: 'RequestChangedEvent'; readonly payload: LifecycleEvent }
  | SplicedDraft<'AdmissionStatus', 'anchor'>
  | { [Type in OutcomeType]: SplicedDraft<Type, 'outcome'> }[OutcomeType]
  | {
      [Type in EvidenceType]: { readonly type: Type; readonly payload: PayloadOf<Type> };
    }[EvidenceType];

export type DeadlineKind =
  | 'review'
  | 'grant'
  | 'reconciliation'
  | 'reconciliation_end'
  | 'private_deletion'
  | 'audit_deletion';

export interface Deadline {
  readonly kind: DeadlineKind;
  readonly due: number;
}

/**
 * A fact that only one step may take: an action's occurrence, once and for ever among the requests of its owner; an
 * execution identity, among the owner's claims; a nonce, among the admissions of its request.
 */
export interface UniqueFact {
  readonly fact: 'occurrence' | 'identity' | 'nonce';
  readonly value: string;
}

/** The immutable request that a command is about. */
export interface RequestFacts {
  readonly id: string;
  readonly request: DecisionRequest;
  readonly digest: Digest;
}

/** A transition that has changed nothing yet. */
export function unchanged(state: Lifecycle): Transition {
  return { next: state, records: [], deadlines: [], settled: [], incidents: [], takes: [] };
}

/** The results of a step beside its event. */
export interface Consequences {
  /** Comes before the event. */
  readonly record?: Draft;
  readonly deadlines?: readonly Deadline[];
  readonly settled?: readonly DeadlineKind[];
  readonly incidents?: readonly IncidentCode[];
  readonly takes?: readonly UniqueFact[];
}

/** Changes the state, with one event. */
export function step(
  from: Transition,
  reason: EventReason,
  changes: Partial<Lifecycle>,
  consequences: Consequences = {},
): Transition {
  const moved = quietly(from, { ...changes, revision: from.next.revision + 1 }, consequences);
  const { audit, decision, execution, grant, revision, grantDeadline, reviewDeadline } = moved.next;
  const payload: LifecycleEvent = {
    reason,
    revision,
    state: { audit, decision, execution, grant },
    deadline: grantDeadline ?? reviewDeadline,
  };
  return { ...moved, records: [...moved.records, { type: 'RequestChangedEvent', payload }] };
}

/** Changes the state without an event (protocol §3.5: assignment, candidate, admission, reads). */
export function quietly(
  from: Transition,
  changes: Partial<Lifecycle>,
  { record, deadlines = [], settled = [], incidents = [], takes = [] }: Consequences = {},
): Transition {
  return {
    next: { ...from.next, ...changes },
    records: record === undefined ? from.records : [...from.records, record],
    deadlines: [...from.deadlines, ...deadlines],
    settled: [...from.settled, ...settled],
    incidents: [...from.incidents, ...incidents],
    takes: [...from.takes, ...takes],
  };
}

/** The deadline of a deletion of private material that is brought forward to `at`; none when it stays when it was. */
export function earlierDeletion({ privateDeleteAt }: Lifecycle, at: number): Deadline[] {
  return at < privateDeleteAt ? [{ kind: 'private_deletion', due: at }] : [];
}
