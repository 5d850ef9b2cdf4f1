import { formatTimestamp } from '../../records/timestamp.js';
import type { Draft } from '../index.js';
import { kindOf, waitingAfter } from './memory.js';
import type { Memory, Taken } from './memory.js';
import { ADMISSION, REVIEWER, subjectOf } from './request.js';
import type { Scenario } from './request.js';

/** Rules for all results of a step beside states and events, in every history. */
export const CONSEQUENCE_RULES: Readonly<Record<string, (step: Taken, memory: Memory) => boolean>> =
  {
    'input that contradicts the request has no effect': ({ command, scenario }) =>
      (command.refusedAs?.(scenario) ?? null) === null && !ALWAYS_REFUSED.includes(command.column),

    'whatever falls due has its deadline': ({ next, transition }, { deadlines }) => {
      const waiting = waitingAfter(deadlines, transition);
      return (
        (next.decision !== 'pending' || waiting.review === next.reviewDeadline) &&
        (!['pending_anchor', 'available'].includes(next.grant) ||
          waiting.grant === next.grantDeadline) &&
        waiting.private_deletion === next.privateDeleteAt &&
        waiting.audit_deletion !== undefined
      );
    },

    'an outcome is asked for at both of its times, until it is known': (step, { deadlines }) => {
      const { reconciliation: first, reconciliation_end: second } = waitingAfter(
        deadlines,
        step.transition,
      );
      const { next, scenario } = step;
      const firstAt = (next.grantDeadline ?? 0) + scenario.executionSeconds * 1000;
      const secondAt = firstAt + scenario.reconciliationSeconds * 1000;
      if (!next.claimed || next.outcomeRecorded) return first === undefined && second === undefined;
      switch (kindOf(step.command)) {
        case 'claim':
          return first === firstAt;
        case 'reconciliationDue':
          return first === undefined && second === secondAt;
        case 'reconciliationOver':
          return second === undefined;
        default:
          return first === deadlines.reconciliation && second === deadlines.reconciliation_end;
      }
    },

    'a step leaves one record of its own kind, right before its event': ({
      command,
      transition,
    }) => {
      const { records } = transition;
      const at = records.findIndex(({ type }) => type !== 'RequestChangedEvent');
      const type = EVIDENCE[kindOf(command)];
      if (at === -1) return type === undefined || records.length === 0;
      return (
        records[at]?.type === type && at === records.length - (type === 'AdmissionStatus' ? 1 : 2)
      );
    },

    'a record tells of the request, by the right people and at the time of its step': (step) =>
      step.transition.records.every((draft) => tells(draft, step.now, step.scenario)),

    'a claim ends with the grant, and a permit with the claim': ({ next, scenario, transition }) =>
      transition.records.every((draft) => {
        const { dispatch_before: end } = draft.payload as { dispatch_before?: string };
        return (
          end === undefined ||
          end ===
            (draft.type === 'ExecutionClaim'
              ? formatTimestamp(next.grantDeadline ?? 0)
              : subjectOf(scenario).claim.dispatch_before)
        );
      }),

    'an incident is an effect without admission, or an outcome that is missing': (step, memory) => {
      const kind = kindOf(step.command);
      const isUnadmitted =
        kind === 'report' &&
        memory.admissions === 0 &&
        ['completed', 'failed', 'failed_partial'].includes(step.command.own ?? '');
      const incident = isUnadmitted ? 'outcome_without_admission' : INCIDENTS[kind];
      return step.transition.incidents.join() === (incident ?? '');
    },

    'a claim takes occurrence and identity, an admission its nonce': (step) => {
      const { execution, claim } = subjectOf(step.scenario);
      const values = {
        occurrence: execution.action_occurrence_id,
        identity: claim.execution_identity,
        nonce: ADMISSION.nonce,
      };
      const { takes } = step.transition;
      return (
        takes.map(({ fact }) => fact).join() === (TAKES[kindOf(step.command)] ?? '') &&
        takes.every(({ fact, value }) => value === values[fact])
      );
    },
  };

/** Columns that refuse in every state. */
const ALWAYS_REFUSED: readonly string[] = [
  'confirm, another candidate',
  'supersede, of another purpose',
  'reconcile, without evidence',
  'claim, admit, retired',
];

const EVIDENCE: Readonly<Record<string, Draft['type']>> = {
  answer: 'DecisionReceipt',
  authorise: 'DecisionReceipt',
  refuse: 'DecisionReceipt',
  deleteMaterial: 'MaterialDiscarded',
  claim: 'ExecutionClaim',
  admit: 'AdmissionStatus',
  report: 'ExecutionOutcome',
  reconcile: 'ExecutionReconciliation',
};

const INCIDENTS: Readonly<Record<string, string>> = {
  reconciliationDue: 'reconciliation_due',
  reconciliationOver: 'reconciliation_overdue',
};

const TAKES: Readonly<Record<string, string>> = { claim: 'occurrence,identity', admit: 'nonce' };

const TIMES = ['confirmed_at', 'claimed_at', 'checked_at', 'recorded_at'];

function tells({ type, payload }: Draft, now: number, scenario: Scenario): boolean {
  if (type === 'RequestChangedEvent') return true;
  const members = new Map<string, unknown>(Object.entries(payload));
  return (
    members.get('request_id') === subjectOf(scenario).id &&
    TIMES.every((name) => !members.has(name) || members.get(name) === formatTimestamp(now)) &&
    (type !== 'DecisionReceipt' || members.get('reviewer') === REVIEWER)
  );
}
