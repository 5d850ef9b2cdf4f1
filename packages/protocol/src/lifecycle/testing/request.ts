import { DEFAULT_LIMITS } from '../../constants.js';
import { canonicalText, textDigest, valueDigest } from '../../json/index.js';
import { EXAMPLES } from '../../records/examples.js';
import type {
  Confirmation,
  DecisionCandidate,
  DecisionRequest,
  ExecutionBinding,
  ExecutionClaim,
} from '../../records/index.js';
import { formatTimestamp } from '../../records/timestamp.js';
import type { Decision, Purpose, RequestFacts, TenantState } from '../index.js';

export const TENANT: TenantState = {
  fenced: false,
  generation: EXAMPLES.DecisionRequest.authority_namespace as string,
};
export const FENCED = { ...TENANT, fenced: true };
export const RECOVERED = { ...TENANT, generation: '0198c1de-0000-4000-8000-00000000000f' };

export const CANDIDATE_DIGEST = textDigest('the candidate');
export const RECEIPT_DIGEST = textDigest('the receipt');
export const CLAIM_DIGEST = textDigest('the claim');
export const REVIEWER = 'rev-2';
export const RECORDER = { kind: 'producer', subject: 'bot-7' } as const;
export const OPERATOR = 'op-1';
export const EVIDENCE = { evidence: 'statement-17', reason: 'The bank refused it' };
export const ADMISSION = EXAMPLES.AdmissionInput;
export const ANCHOR = '{"proof":[]}';

export const CONFIRMATION: Confirmation = {
  candidate_id: EXAMPLES.DecisionCandidate.id,
  candidate_digest: CANDIDATE_DIGEST,
};

export const candidateOf = (decision: Decision): DecisionCandidate => ({
  ...EXAMPLES.DecisionCandidate,
  decision,
});

/** The facts of a request that are not in its state: when it starts, its deadlines, its limits. */
export interface Scenario {
  readonly purpose: Purpose;
  readonly start: number;
  readonly reviewDeadline: number;
  readonly privateDeleteAt: number;
  readonly remindedAt: number | null;
  readonly grantSeconds: number;
  readonly validUntil: number | null;
  readonly executionSeconds: number;
  readonly reconciliationSeconds: number;
}

/** A request with the other inputs of its commands. */
export interface Subject extends RequestFacts {
  readonly execution: ExecutionBinding;
  readonly executionDigest: ReturnType<typeof valueDigest>;
  readonly auditDeleteAt: number;
  readonly claim: ExecutionClaim;
}

/** In canonical order, as requests are stored: digests of it take less time. */
const BINDING = JSON.parse(canonicalText(EXAMPLES.DecisionRequest.execution)) as ExecutionBinding;

const subjects = new WeakMap<Scenario, Subject>();

/** The request that a scenario describes. */
export function subjectOf(scenario: Scenario): Subject {
  const known = subjects.get(scenario);
  if (known !== undefined) return known;
  const { purpose, start, validUntil } = scenario;
  const { execution: _, ...example } = EXAMPLES.DecisionRequest;
  const auditDeleteAt = start + DEFAULT_LIMITS.audit_seconds * 1000;
  const execution: ExecutionBinding = {
    ...BINDING,
    execution_seconds: scenario.executionSeconds,
    valid_until: formatTimestamp(validUntil ?? start),
  };
  const request: DecisionRequest = {
    ...example,
    purpose,
    accepted_at: formatTimestamp(start),
    review_deadline: formatTimestamp(scenario.reviewDeadline),
    private_delete_at: formatTimestamp(scenario.privateDeleteAt),
    audit_delete_at: formatTimestamp(auditDeleteAt),
    limits: {
      ...DEFAULT_LIMITS,
      grant_seconds: scenario.grantSeconds,
      reconciliation_seconds: scenario.reconciliationSeconds,
    },
    ...(purpose === 'review' ? {} : { execution }),
  };
  const subject: Subject = {
    id: request.id,
    digest: textDigest('the request'),
    request,
    execution,
    executionDigest: valueDigest(execution),
    auditDeleteAt,
    claim: EXAMPLES.ExecutionClaim,
  };
  subjects.set(scenario, subject);
  return subject;
}
