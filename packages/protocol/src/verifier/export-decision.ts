import { canonicalText, valueDigest } from '../json/canonical.js';
import type {
  AuditExport,
  DecisionCandidate,
  DecisionReceipt,
  RecordType,
} from '../records/index.js';
import { formatTimestamp } from '../records/index.js';
import { runSchemaJob } from '../response-schema/index.js';
import { time } from './export-request.js';
import type { VerifierContext } from './context.js';
import type { CheckedRecord } from './record.js';
import { recordsOf } from './record.js';

export type CheckedReceipt = CheckedRecord<'DecisionReceipt'>;

/** Records that a request may have before its decision, or without one. */
const UNDECIDED: readonly RecordType[] = [
  'RequestChangedEvent',
  'MaterialDiscarded',
  'ApprovalRecord',
  'ApprovalEnded',
];

/** The decision against the request that it answers and the candidate that it confirms (protocol §3.4, §15.3, §15.5). */
export function checkDecision(
  context: VerifierContext,
  document: AuditExport,
  records: readonly CheckedRecord[],
): CheckedReceipt | null {
  const { findings } = context;
  const { request, material } = document;
  const receipts = recordsOf(records, 'DecisionReceipt');
  const receipt = receipts[0] ?? null;
  const decided =
    document.anchor !== null ||
    records.some(({ type }) => !UNDECIDED.includes(type)) ||
    recordsOf(records, 'RequestChangedEvent').some((e) => e.payload.state.decision === 'confirmed');
  if (receipts.length > 1 || (receipt === null && decided)) {
    findings.check('receipt_present', '/records', false);
  }
  if (receipt !== null) {
    findings.check('receipt_present', receipt.path, true);
    const { payload } = receipt;
    findings.check(
      'receipt_requester',
      receipt.path,
      payload.requester === request.requester.subject && payload.purpose === request.purpose,
    );
    findings.check(
      'receipt_times',
      receipt.path,
      time(request.accepted_at) <= receipt.issuedAt &&
        receipt.issuedAt < time(request.review_deadline),
    );
    if (payload.purpose === 'authorise_execution') {
      findings.check(
        'receipt_grant',
        receipt.path,
        payload.grant_deadline === grantEnd(document, receipt),
      );
    }
  } else if (!decided) {
    findings.unknown('receipt_present', '/records', {
      says: 'Nothing was decided as far as this file goes.',
    });
  }
  if (material !== null) checkCandidate(context, document, material.candidate, receipt);
  return receipt;
}

/** min(confirmed_at + grant_seconds, valid_until), as the service writes it. */
function grantEnd({ request }: AuditExport, { issuedAt }: CheckedReceipt): string | null {
  if (request.execution === undefined) return null;
  const end = issuedAt + request.limits.grant_seconds * 1000;
  return formatTimestamp(Math.min(end, time(request.execution.valid_until)));
}

function checkCandidate(
  context: VerifierContext,
  document: AuditExport,
  candidate: DecisionCandidate | null,
  receipt: CheckedReceipt | null,
): void {
  const { findings } = context;
  const path = '/material/candidate';
  if (candidate === null) {
    if (receipt === null) return;
    findings.unknown('receipt_candidate', path, {
      says: 'The candidate that was confirmed is not in this file; only its digest is signed.',
    });
    return;
  }
  const { request } = document;
  findings.check(
    'candidate_request',
    path,
    candidate.request_id === request.id &&
      candidate.request_digest === document.request_digest &&
      time(candidate.created_at) >= time(request.accepted_at),
  );
  findings.check(
    'candidate_response',
    path,
    canonicalText(candidate.response) === candidate.response_canonical &&
      valueDigest(candidate.response) === candidate.response_digest,
  );
  if (receipt === null) {
    const says = 'It was not confirmed, so no signature covers it.';
    findings.uncovered.push({ path, says });
    return;
  }
  const confirmed = findings.check(
    'receipt_candidate',
    path,
    isConfirmed(candidate, receipt.payload) && time(candidate.created_at) <= receipt.issuedAt,
  );
  if (confirmed && receipt.proven) checkResponse(context, document, candidate);
}

function isConfirmed(candidate: DecisionCandidate, receipt: DecisionReceipt): boolean {
  return (
    valueDigest(candidate) === receipt.candidate_digest &&
    candidate.id === receipt.candidate_id &&
    // Of several people, the last one decides, and any one has written the answer.
    ('quorum' in receipt || candidate.reviewer === receipt.reviewer) &&
    candidate.response_digest === receipt.response_digest &&
    candidate.decision === receipt.decision
  );
}

/** Only for a schema and a response with a valid signature: an untrusted schema is not run. */
function checkResponse(
  { findings, memory }: VerifierContext,
  { material }: AuditExport,
  candidate: DecisionCandidate,
): void {
  if (material === null || findings.allHold('material_schema') !== true) return;
  if (findings.allHold('request_bound') !== true || findings.allHold('request_digest') !== true)
    return;
  const path = '/material/candidate/response';
  try {
    const job = {
      schemaText: canonicalText(material.response_schema),
      responseText: candidate.response_canonical,
    };
    const result = runSchemaJob(job, memory.schemas);
    const reason = result.ok ? {} : { reason: result.code };
    findings.check('candidate_schema', path, result.ok, reason);
  } catch {
    findings.skipped('candidate_schema', path, {
      says: 'Whether the response fits the schema could not be computed here; the service checked it when the response was frozen.',
      decisive: false,
    });
  }
}
