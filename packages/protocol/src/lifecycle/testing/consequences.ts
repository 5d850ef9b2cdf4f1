import { canonicalText } from '../../json/index.js';
import { formatTimestamp } from '../../records/timestamp.js';
import type { Deadline, DeadlineKind, Draft, Lifecycle, Transition, UniqueFact } from '../index.js';
import type { Command } from './commands.js';
import {
  ADMISSION,
  ANCHOR,
  CANDIDATE_DIGEST,
  CLAIM_DIGEST,
  EVIDENCE,
  OPERATOR,
  RECEIPT_DIGEST,
  RECORDER,
  REVIEWER,
  candidateOf,
  subjectOf,
} from './request.js';
import type { Scenario } from './request.js';
import { cells } from './situations.js';

/**
 * The results of every command beside states and events, once it has its effect. `?`: under the condition of that name in
 * {@link CONDITIONS}. The record comes before the command's own event.
 */
const CONSEQUENCES = `
command                 | record                  | deadlines          | settled                           | incidents                  | takes
answer, approve, reject | DecisionReceipt         |                    |                                   |                            |
authorise               | DecisionReceipt         | grant              |                                   |                            |
refuse                  | DecisionReceipt         |                    |                                   |                            |
deleteMaterial          | MaterialDiscarded       | private_deletion?  | review grant                      |                            |
claim                   | ExecutionClaim          | reconciliation     |                                   |                            | occurrence identity
admit                   | AdmissionStatus         |                    |                                   |                            | nonce
report                  | ExecutionOutcome        | private_deletion?  | reconciliation reconciliation_end | outcome_without_admission? |
reconcile               | ExecutionReconciliation | private_deletion?  | reconciliation reconciliation_end |                            |
reconciliationDue       |                         | reconciliation_end | reconciliation                    | reconciliation_due         |
reconciliationOver      |                         |                    | reconciliation_end                | reconciliation_overdue     |
`;

/** A command that had its effect on a state. */
interface Effect {
  readonly command: Command;
  readonly state: Lifecycle;
  readonly next: Lifecycle;
  readonly now: number;
  readonly scenario: Scenario;
}

const CONDITIONS: Readonly<Record<string, (effect: Effect) => boolean>> = {
  private_deletion: ({ state, next }) => next.privateDeleteAt < state.privateDeleteAt,
  outcome_without_admission: ({ state, next }) =>
    state.admissions === 0 && ['completed', 'failed', 'failed_partial'].includes(next.execution),
};

const DUES: Readonly<Record<DeadlineKind, (effect: Effect) => number>> = {
  review: ({ next }) => next.reviewDeadline,
  grant: ({ next }) => next.grantDeadline as number,
  reconciliation: executionOver,
  reconciliation_end: (effect) =>
    executionOver(effect) + effect.scenario.reconciliationSeconds * 1000,
  private_deletion: ({ next }) => next.privateDeleteAt,
  audit_deletion: ({ scenario }) => subjectOf(scenario).auditDeleteAt,
};

function executionOver({ state, scenario }: Effect): number {
  return (state.grantDeadline as number) + scenario.executionSeconds * 1000;
}

/** Endings of votes have tables of their own (approvals.ts). */
type Evidence = Exclude<Draft, { type: 'RequestChangedEvent' | 'ApprovalEnded' }>;

/** Members in canonical order, in which drafts are written. */
const RECORDS: Readonly<Record<Evidence['type'], (effect: Effect) => object>> = {
  DecisionReceipt: ({ command, next, now, scenario }) => {
    const { id, digest, request } = subjectOf(scenario);
    const candidate = candidateOf('answer');
    const [, decision] = command.name.split(' ');
    return {
      payload: {
        candidate_digest: CANDIDATE_DIGEST,
        candidate_id: candidate.id,
        confirmed_at: formatTimestamp(now),
        decision,
        ...(scenario.purpose === 'review'
          ? {}
          : { grant_deadline: formatTimestamp(next.grantDeadline as number) }),
        purpose: scenario.purpose,
        request_digest: digest,
        request_id: id,
        requester: request.requester.subject,
        response_digest: candidate.response_digest,
        reviewer: REVIEWER,
      },
    };
  },
  MaterialDiscarded: ({ scenario }) => ({
    payload: {
      reason: 'retention',
      recorded_by: RECORDER,
      request_digest: subjectOf(scenario).digest,
      request_id: subjectOf(scenario).id,
    },
  }),
  ExecutionClaim: ({ state, now, scenario }) => {
    const { id, digest, claim, execution, executionDigest } = subjectOf(scenario);
    return {
      payload: {
        action_occurrence_id: execution.action_occurrence_id,
        claimed_at: formatTimestamp(now),
        dispatch_before: formatTimestamp(state.grantDeadline as number),
        execution_binding_digest: executionDigest,
        execution_identity: claim.execution_identity,
        execution_seconds: scenario.executionSeconds,
        id: claim.id,
        receipt_digest: RECEIPT_DIGEST,
        request_digest: digest,
        request_id: id,
      },
    };
  },
  AdmissionStatus: ({ now, scenario }) => {
    const { id, claim } = subjectOf(scenario);
    return {
      payload: {
        checked_at: formatTimestamp(now),
        claim_digest: CLAIM_DIGEST,
        claim_id: claim.id,
        dispatch_before: claim.dispatch_before,
        execution_binding_digest: claim.execution_binding_digest,
        execution_identity: claim.execution_identity,
        execution_seconds: claim.execution_seconds,
        nonce: ADMISSION.nonce,
        request_id: id,
      },
      canonical: { anchor: ANCHOR },
    };
  },
  ExecutionOutcome: (effect) => outcomeOf(effect, RECORDER),
  ExecutionReconciliation: (effect) => outcomeOf(effect, { kind: 'operator', subject: OPERATOR }),
};

function outcomeOf({ command, now, scenario }: Effect, recordedBy: object): object {
  const { id, claim } = subjectOf(scenario);
  const outcome = {
    details: EVIDENCE,
    execution_identity: claim.execution_identity,
    status: command.own,
  };
  return {
    payload: {
      claim_digest: CLAIM_DIGEST,
      recorded_at: formatTimestamp(now),
      recorded_by: recordedBy,
      request_id: id,
    },
    canonical: { outcome: canonicalText(outcome) },
  };
}

const [, ...rows] = cells(CONSEQUENCES);
const consequences = new Map(
  rows.map(([command = '', ...kinds]) => [command, kinds.map((cell) => cell.split(' '))]),
);

type Consequences = Omit<Transition, 'next' | 'records'> & { readonly record: Draft | null };

/** The results of a command with an effect, beside states and events. */
export function consequencesOf(effect: Effect): Consequences {
  const [records, deadlines, settled, incidents, takes] = (
    consequences.get(effect.command.column) ?? []
  ).map((cell) =>
    cell.flatMap((word) => {
      const [, name = '', optional] = /^(\w+)(\?)?$/.exec(word) ?? [];
      if (name === '' || (optional === '?' && CONDITIONS[name]?.(effect) !== true)) return [];
      return [name];
    }),
  );
  const [type] = (records ?? []) as Evidence['type'][];
  return {
    record: type === undefined ? null : ({ type, ...RECORDS[type](effect) } as Draft),
    deadlines: ((deadlines ?? []) as DeadlineKind[]).map((kind): Deadline => ({
      kind,
      due: DUES[kind](effect),
    })),
    settled: (settled ?? []) as DeadlineKind[],
    incidents: (incidents ?? []) as Transition['incidents'],
    takes: ((takes ?? []) as UniqueFact['fact'][]).map((fact) => ({
      fact,
      value: valueOf(fact, effect),
    })),
  };
}

function valueOf(fact: UniqueFact['fact'], { scenario }: Effect): string {
  const { execution, claim } = subjectOf(scenario);
  return {
    occurrence: execution.action_occurrence_id,
    identity: claim.execution_identity,
    nonce: ADMISSION.nonce,
  }[fact];
}
