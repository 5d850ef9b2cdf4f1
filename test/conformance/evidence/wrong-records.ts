import type { CheckCode, ExecutionBinding } from '@countersign/protocol';
import type { Scenario } from './scenario.js';
import { ask } from './request.js';
import { outcomeSaying, saying } from './saying.js';

const other = `sha256:${'7'.repeat(64)}` as const;
const execution = ask().request.execution as ExecutionBinding;

/** A check that must fail, the fault, and the scenario with it. */
export type Wrong = readonly [CheckCode, string, Scenario];

const decided: Scenario = { until: 'anchored' };
/** Contents that records of requests, decisions and executions may never have. */
export const WRONG_RECORDS: readonly Wrong[] = [
  [
    'request_execution',
    'an execution that was over before it was asked for',
    {
      ...decided,
      request: { execution: { ...execution, valid_until: '2026-05-01T09:00:00Z' } },
    },
  ],
  [
    'request_execution',
    'a provenance of another profile',
    {
      ...decided,
      request: {
        execution: { ...execution, provenance: { ...execution.provenance, profile: 'other' } },
      },
    },
  ],
  [
    'request_times',
    'a review without any time',
    { ...decided, request: { review_deadline: '2026-05-01T09:00:00.000Z' } },
  ],
  [
    'request_times',
    'private material kept too long',
    { ...decided, request: { private_delete_at: '2027-05-01T09:00:00.000Z' } },
  ],
  [
    'request_times',
    'records kept too long',
    { ...decided, request: { audit_delete_at: '2027-05-01T09:00:00.000Z' } },
  ],

  [
    'candidate_request',
    'a candidate of another request',
    { ...decided, candidate: { request_id: 'another' } },
  ],
  [
    'candidate_request',
    'a candidate from before the request',
    { ...decided, candidate: { created_at: '2026-05-01T08:59:59.999Z' } },
  ],
  [
    'candidate_response',
    'a response with another digest',
    { ...decided, candidate: { response_digest: other } },
  ],
  [
    'receipt_candidate',
    'a candidate from after the decision',
    { ...decided, at: { confirmed: '09:04:59.000' } },
  ],
  [
    'receipt_candidate',
    'a decision about another digest',
    saying('DecisionReceipt', { candidate_digest: other }, decided),
  ],
  [
    'receipt_candidate',
    'a decision about another candidate',
    saying('DecisionReceipt', { candidate_id: 'another' }, decided),
  ],
  [
    'receipt_candidate',
    'a decision of another reviewer',
    saying('DecisionReceipt', { reviewer: 'rev-3' }, decided),
  ],
  [
    'receipt_candidate',
    'a decision about another response',
    saying('DecisionReceipt', { response_digest: other }, decided),
  ],
  [
    'receipt_candidate',
    'another decision than proposed',
    saying('DecisionReceipt', { decision: 'refuse' }, decided),
  ],
  [
    'receipt_times',
    'a decision from before the request',
    { ...decided, at: { confirmed: '08:59:59.000' } },
  ],

  ['claim_binding', 'a claim with more time', saying('ExecutionClaim', { execution_seconds: 601 })],
  ['claim_times', 'an anchor from before the decision', { at: { anchored: '09:04:59.000' } }],
  [
    'claim_times',
    'a claim after its own end',
    saying('ExecutionClaim', { dispatch_before: '2026-05-01T09:06:00.000Z' }),
  ],
  [
    'admission_claim',
    'an admission of another claim id',
    saying('AdmissionStatus', { claim_id: 'another' }),
  ],
  [
    'admission_claim',
    'an admission of another executor',
    saying('AdmissionStatus', { execution_identity: 'runner-2' }),
  ],
  [
    'admission_claim',
    'an admission of another execution',
    saying('AdmissionStatus', { execution_binding_digest: other }),
  ],
  [
    'admission_claim',
    'an admission with more time',
    saying('AdmissionStatus', { execution_seconds: 601 }),
  ],
  ['admission_times', 'an admission from before the claim', { at: { admitted: '09:05:59.000' } }],
  [
    'admission_times',
    'an admission after its own end',
    saying('AdmissionStatus', { dispatch_before: '2026-05-01T09:06:01.000Z' }),
  ],
  ['admission_times', 'an admission after the outcome', { at: { admitted: '09:10:01.000' } }],

  [
    'outcome_claim',
    'an outcome of another executor',
    outcomeSaying('ExecutionOutcome', { execution_identity: 'runner-2' }),
  ],
  ['outcome_rules', 'two outcomes', { secondOutcome: true }],
  [
    'outcome_rules',
    'an outcome from before the claim',
    { until: 'reported', admissions: 0, at: { reported: '09:05:59.000' } },
  ],
  [
    'outcome_rules',
    'an outcome that only operators may give',
    outcomeSaying('ExecutionOutcome', { status: 'abandoned' }),
  ],
  [
    'outcome_rules',
    'an outcome by an operator of the same name',
    saying('ExecutionOutcome', { recorded_by: { kind: 'operator', subject: 'bot-7' } }),
  ],
  [
    'outcome_rules',
    'an outcome by another producer',
    saying('ExecutionOutcome', { recorded_by: { kind: 'producer', subject: 'bot-8' } }),
  ],
  [
    'outcome_rules',
    'a settlement without evidence',
    outcomeSaying(
      'ExecutionReconciliation',
      { details: { reason: 'why' } },
      { reconciliations: 1 },
    ),
  ],
  [
    'outcome_rules',
    'a settlement without a reason',
    outcomeSaying(
      'ExecutionReconciliation',
      { details: { evidence: 'x' } },
      { reconciliations: 1 },
    ),
  ],
];
