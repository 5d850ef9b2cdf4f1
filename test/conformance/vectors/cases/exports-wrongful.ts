import { buildEvidence } from '../../evidence/build-evidence.js';
import type { Scenario } from '../../evidence/scenario.js';
import { refused } from '../vector.js';
import type { Vector } from '../vector.js';

type Check = Omit<Vector['check'], 'status'>;

/** Exports of a service that signs forbidden contents: every signature is valid. */
export function wrongfulExports(): Vector[] {
  const vectorOf = (name: string, what: string, check: Check, scenario: Scenario): Vector => {
    const { document, ledger } = buildEvidence(scenario);
    return refused(`export-${name}`, what, document, check, { store: ledger.store });
  };
  const digest = `sha256:${'5'.repeat(64)}` as const;
  const claim = (changes: object): Scenario => ({
    amend: { ExecutionClaim: (payload) => ({ ...payload, ...changes }) },
  });
  const admission = (changes: object, admissions = 1): Scenario => ({
    admissions,
    amend: { AdmissionStatus: (payload) => ({ ...payload, ...changes }) },
  });
  const outcome = (changes: object): Scenario => ({
    amend: { ExecutionOutcome: (payload) => ({ ...payload, ...changes }) },
  });
  const { request } = buildEvidence({ until: 'asked' }).document;
  const execution = request.execution as NonNullable<typeof request.execution>;
  const asked = (changes: NonNullable<Scenario['request']>): Scenario => ({
    until: 'anchored',
    request: changes,
  });
  return [
    vectorOf(
      'deadline-too-late',
      'The review may last longer than its limits say.',
      { code: 'request_times' },
      asked({ review_deadline: '2026-05-02T09:00:00.001Z' }),
    ),
    vectorOf(
      'unknown-profile',
      'An unknown profile.',
      { code: 'request_profiles' },
      asked({ profiles: { ...request.profiles, 'proto.other': '1' } }),
    ),
    vectorOf(
      'execution-too-long',
      'The execution may last longer than its limits say.',
      { code: 'request_execution' },
      asked({ limits: { ...request.limits, execution_seconds: 599 } }),
    ),
    vectorOf(
      'unknown-provenance',
      'An unknown provenance.',
      { code: 'request_execution' },
      asked({
        execution: { ...execution, provenance: { ...execution.provenance, version: '2' } },
      }),
    ),
    vectorOf(
      'supersedes-itself',
      'The request replaces itself.',
      { code: 'request_supersedes' },
      asked({ supersedes: request.id }),
    ),
    vectorOf(
      'other-namespace',
      'It was claimed in another namespace than it was made in.',
      { code: 'anchor_generation' },
      { request: { authority_namespace: '11111111-1111-4111-8111-111111111111' } },
    ),
    vectorOf(
      'response-off-schema',
      'The response does not fit the schema that it was asked with.',
      { code: 'candidate_schema', reason: 'response_schema_mismatch' },
      { until: 'anchored', candidate: { response: { note: 1 } } },
    ),
    vectorOf(
      'two-claims',
      'The action was claimed twice.',
      { code: 'claim_once' },
      { secondClaim: true },
    ),
    vectorOf(
      'claim-of-another-decision',
      'The claim rests on another decision.',
      { code: 'claim_receipt' },
      claim({ receipt_digest: digest }),
    ),
    vectorOf(
      'claim-of-another-execution',
      'The claim is for another execution.',
      { code: 'claim_binding' },
      claim({ execution_binding_digest: digest }),
    ),
    vectorOf(
      'claim-of-another-occurrence',
      'The claim is for another occurrence.',
      { code: 'claim_binding' },
      claim({ action_occurrence_id: 'invoice-4712/payment-1' }),
    ),
    vectorOf(
      'claim-extended',
      'The claim may be dispatched later than the grant allows.',
      { code: 'claim_receipt' },
      claim({ dispatch_before: '2026-05-02T10:00:00.000Z' }),
    ),
    vectorOf(
      'claim-before-anchor',
      'It was claimed before the decision was anchored.',
      { code: 'claim_times' },
      { at: { claimed: '09:05:00.500' } },
    ),
    vectorOf(
      'decided-too-late',
      'It was decided after the deadline of the review.',
      { code: 'receipt_times' },
      { at: { confirmed: '10:00:00.000' }, until: 'anchored' },
    ),
    vectorOf(
      'grant-too-long',
      'The grant lasts longer than its limits say.',
      { code: 'receipt_grant' },
      {
        until: 'anchored',
        amend: {
          DecisionReceipt: (it) =>
            ({ ...it, grant_deadline: '2026-05-02T09:00:01.000Z' }) as typeof it,
        },
      },
    ),
    vectorOf(
      'receipt-other-requester',
      'The decision names another requester.',
      { code: 'receipt_requester' },
      {
        until: 'anchored',
        amend: { DecisionReceipt: (it) => ({ ...it, requester: 'owner-2' }) },
      },
    ),
    vectorOf(
      'claimed-though-refused',
      'It was refused, and claimed all the same.',
      { code: 'claim_receipt' },
      {
        amend: { DecisionReceipt: (it) => ({ ...it, decision: 'refuse' }) as typeof it },
      },
    ),
    vectorOf(
      'nonce-twice',
      'A nonce was admitted twice.',
      { code: 'admission_nonce' },
      admission({ nonce: 'n0nce_-aaaaaaaaaaaa' }, 2),
    ),
    vectorOf(
      'admission-of-another-claim',
      'The admission is for another claim.',
      { code: 'admission_claim' },
      admission({ claim_digest: digest }),
    ),
    vectorOf(
      'admission-extended',
      'The admission lasts longer than the claim.',
      { code: 'admission_claim' },
      admission({ dispatch_before: '2026-05-02T10:00:00.000Z' }),
    ),
    vectorOf(
      'admission-other-anchor',
      'The admission carries another anchor proof.',
      { code: 'admission_anchor' },
      admission({ anchor: {} }),
    ),
    vectorOf(
      'admissions-65',
      'More admissions than a claim may have.',
      { code: 'admission_count' },
      { admissions: 65, neighbours: false },
    ),
    vectorOf(
      'outcome-of-another-claim',
      'The outcome is of another claim.',
      { code: 'outcome_claim' },
      outcome({ claim_digest: digest }),
    ),
    vectorOf(
      'outcome-by-operator',
      'An operator reported as if it were the producer.',
      { code: 'outcome_rules' },
      outcome({ recorded_by: { kind: 'operator', subject: 'ops-1' } }),
    ),
    vectorOf(
      'time-told-otherwise',
      'The outcome tells another time than that of its signature.',
      { code: 'record_time' },
      outcome({ recorded_at: '2026-05-01T09:09:00.000Z' }),
    ),
    vectorOf(
      'event-undoes-a-decision',
      'An event takes the decision back.',
      { code: 'event_states' },
      {
        amend: {
          RequestChangedEvent: (it) =>
            it.revision < 4 ? it : { ...it, state: { ...it.state, decision: 'pending' } },
        },
      },
    ),
    vectorOf(
      'event-other-deadline',
      'An event tells another deadline.',
      { code: 'event_content' },
      {
        amend: { RequestChangedEvent: (it) => ({ ...it, deadline: '2026-05-03T09:00:00.000Z' }) },
      },
    ),
  ];
}
