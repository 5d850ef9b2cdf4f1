import { play } from '../../evidence/story.js';
import type { Plot } from '../../evidence/plot.js';
import { refused } from '../vector.js';
import type { Vector } from '../vector.js';

type Check = Omit<Vector['check'], 'status'>;

/** Exports of a service that signs what it never may: every signature is good. */
export function wrongfulExports(): Vector[] {
  const told = (name: string, what: string, check: Check, plot: Plot): Vector => {
    const { document, ledger } = play(plot);
    return refused(`export-${name}`, what, document, check, { store: ledger.store });
  };
  const digest = `sha256:${'5'.repeat(64)}` as const;
  const claim = (changes: object): Plot => ({
    amend: { ExecutionClaim: (payload) => ({ ...payload, ...changes }) },
  });
  const admission = (changes: object, admissions = 1): Plot => ({
    admissions,
    amend: { AdmissionStatus: (payload) => ({ ...payload, ...changes }) },
  });
  const outcome = (changes: object): Plot => ({
    amend: { ExecutionOutcome: (payload) => ({ ...payload, ...changes }) },
  });
  const { request } = play({ until: 'asked' }).document;
  const execution = request.execution as NonNullable<typeof request.execution>;
  const asked = (changes: NonNullable<Plot['request']>): Plot => ({
    until: 'anchored',
    request: changes,
  });
  return [
    told(
      'deadline-too-late',
      'The review may last longer than its limits say.',
      { code: 'request_times' },
      asked({ review_deadline: '2026-05-02T09:00:00.001Z' }),
    ),
    told(
      'unknown-profile',
      'A profile that nobody supports.',
      { code: 'request_profiles' },
      asked({ profiles: { ...request.profiles, 'proto.other': '1' } }),
    ),
    told(
      'execution-too-long',
      'The execution may last longer than its limits say.',
      { code: 'request_execution' },
      asked({ limits: { ...request.limits, execution_seconds: 599 } }),
    ),
    told(
      'unknown-provenance',
      'A provenance that nobody supports.',
      { code: 'request_execution' },
      asked({
        execution: { ...execution, provenance: { ...execution.provenance, version: '2' } },
      }),
    ),
    told(
      'supersedes-itself',
      'The request replaces itself.',
      { code: 'request_supersedes' },
      asked({ supersedes: request.id }),
    ),
    told(
      'other-namespace',
      'It was claimed in another namespace than it was made in.',
      { code: 'anchor_generation' },
      { request: { authority_namespace: '11111111-1111-4111-8111-111111111111' } },
    ),
    told(
      'response-off-schema',
      'The response does not fit the schema that it was asked with.',
      { code: 'candidate_schema', reason: 'response_schema_mismatch' },
      { until: 'anchored', candidate: { response: { note: 1 } } },
    ),
    told(
      'two-claims',
      'The action was claimed twice.',
      { code: 'claim_once' },
      { secondClaim: true },
    ),
    told(
      'claim-of-another-decision',
      'The claim rests on another decision.',
      { code: 'claim_receipt' },
      claim({ receipt_digest: digest }),
    ),
    told(
      'claim-of-another-execution',
      'The claim is for another execution.',
      { code: 'claim_binding' },
      claim({ execution_binding_digest: digest }),
    ),
    told(
      'claim-of-another-occurrence',
      'The claim is for another occurrence.',
      { code: 'claim_binding' },
      claim({ action_occurrence_id: 'invoice-4712/payment-1' }),
    ),
    told(
      'claim-extended',
      'The claim may be dispatched later than the grant allows.',
      { code: 'claim_receipt' },
      claim({ dispatch_before: '2026-05-02T10:00:00.000Z' }),
    ),
    told(
      'claim-before-anchor',
      'It was claimed before the decision was anchored.',
      { code: 'claim_times' },
      { at: { claimed: '09:05:00.500' } },
    ),
    told(
      'decided-too-late',
      'It was decided after the deadline of the review.',
      { code: 'receipt_times' },
      { at: { confirmed: '10:00:00.000' }, until: 'anchored' },
    ),
    told(
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
    told(
      'receipt-other-requester',
      'The decision names another requester.',
      { code: 'receipt_requester' },
      {
        until: 'anchored',
        amend: { DecisionReceipt: (it) => ({ ...it, requester: 'owner-2' }) },
      },
    ),
    told(
      'claimed-though-refused',
      'It was refused, and claimed all the same.',
      { code: 'claim_receipt' },
      {
        amend: { DecisionReceipt: (it) => ({ ...it, decision: 'refuse' }) as typeof it },
      },
    ),
    told(
      'nonce-twice',
      'A nonce was admitted twice.',
      { code: 'admission_nonce' },
      admission({ nonce: 'n0nce_-aaaaaaaaaaaa' }, 2),
    ),
    told(
      'admission-of-another-claim',
      'The admission is for another claim.',
      { code: 'admission_claim' },
      admission({ claim_digest: digest }),
    ),
    told(
      'admission-extended',
      'The admission lasts longer than the claim.',
      { code: 'admission_claim' },
      admission({ dispatch_before: '2026-05-02T10:00:00.000Z' }),
    ),
    told(
      'admission-other-anchor',
      'The admission carries another anchor proof.',
      { code: 'admission_anchor' },
      admission({ anchor: {} }),
    ),
    told(
      'admissions-65',
      'More admissions than a claim may have.',
      { code: 'admission_count' },
      { admissions: 65, neighbours: false },
    ),
    told(
      'outcome-of-another-claim',
      'The outcome is of another claim.',
      { code: 'outcome_claim' },
      outcome({ claim_digest: digest }),
    ),
    told(
      'outcome-by-operator',
      'An operator reported as if it were the producer.',
      { code: 'outcome_rules' },
      outcome({ recorded_by: { kind: 'operator', subject: 'ops-1' } }),
    ),
    told(
      'time-told-otherwise',
      'The outcome tells another time than that of its signature.',
      { code: 'record_time' },
      outcome({ recorded_at: '2026-05-01T09:09:00.000Z' }),
    ),
    told(
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
    told(
      'event-other-deadline',
      'An event tells another deadline.',
      { code: 'event_content' },
      {
        amend: { RequestChangedEvent: (it) => ({ ...it, deadline: '2026-05-03T09:00:00.000Z' }) },
      },
    ),
  ];
}
