import { DEFAULT_QUOTAS } from '../constants.js';
import { valueDigest } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { AuditExport } from '../records/index.js';
import type { CheckedReceipt } from './export-decision.js';
import { time } from './export-request.js';
import type { VerifierContext } from './context.js';
import type { CheckedProof } from './proof.js';
import type { CheckedRecord } from './record.js';
import { recordsOf } from './record.js';

type Claim = CheckedRecord<'ExecutionClaim'>;

/** Claim, admissions and outcomes, each against the records that it depends on (protocol §3.4, §5.6, §15.3, §15.5). */
export function checkExecution(
  context: VerifierContext,
  document: AuditExport,
  records: readonly CheckedRecord[],
  receipt: CheckedReceipt | null,
  anchor: CheckedProof | null,
): void {
  const { findings, expected } = context;
  const claims = recordsOf(records, 'ExecutionClaim');
  const claim = claims[0] ?? null;
  const later = records.filter(
    ({ type }) =>
      type === 'AdmissionStatus' ||
      type === 'ExecutionOutcome' ||
      type === 'ExecutionReconciliation',
  );
  if (claim === null) {
    if (later.length > 0) findings.check('claim_once', '/records', false);
    return;
  }
  const { payload, path } = claim;
  findings.check('claim_once', path, claims.length === 1);
  const { execution } = document.request;
  findings.check(
    'claim_receipt',
    path,
    receipt !== null &&
      payload.receipt_digest === receipt.digest &&
      receipt.payload.decision === 'authorise' &&
      payload.dispatch_before === receipt.payload.grant_deadline,
  );
  findings.check(
    'claim_binding',
    path,
    execution !== undefined &&
      payload.execution_binding_digest === valueDigest(execution) &&
      payload.action_occurrence_id === execution.action_occurrence_id &&
      payload.execution_seconds === execution.execution_seconds,
  );
  findings.check(
    'claim_times',
    path,
    receipt !== null &&
      anchor !== null &&
      receipt.issuedAt <= anchor.issuedAt &&
      anchor.issuedAt <= claim.issuedAt &&
      claim.issuedAt < time(payload.dispatch_before),
  );
  if (expected.executionIdentity !== undefined) {
    const same = payload.execution_identity === expected.executionIdentity;
    findings.check('expected_identity', path, same);
  } else {
    findings.skipped('expected_identity', path, {
      says: `The claim is of ${payload.execution_identity}; whether that is the executor you mean was not compared.`,
      decisive: false,
    });
  }
  checkAdmissions(context, document, records, claim);
  checkOutcomes(context, records, claim);
}

function checkAdmissions(
  { findings, expected }: VerifierContext,
  { anchor }: AuditExport,
  records: readonly CheckedRecord[],
  claim: Claim,
): void {
  const admissions = recordsOf(records, 'AdmissionStatus');
  if (admissions.length === 0) return;
  const reported = recordsOf(records, 'ExecutionOutcome')[0]?.issuedAt ?? Number.POSITIVE_INFINITY;
  const nonces = new Set<string>();
  const anchorDigest = anchor === null ? null : valueDigest(anchor);
  for (const { payload, path, issuedAt } of admissions) {
    findings.check(
      'admission_claim',
      path,
      payload.claim_id === claim.payload.id &&
        payload.claim_digest === claim.digest &&
        payload.execution_identity === claim.payload.execution_identity &&
        payload.execution_binding_digest === claim.payload.execution_binding_digest &&
        payload.dispatch_before === claim.payload.dispatch_before &&
        payload.execution_seconds === claim.payload.execution_seconds,
    );
    findings.check(
      'admission_times',
      path,
      claim.issuedAt <= issuedAt &&
        issuedAt < time(payload.dispatch_before) &&
        issuedAt <= reported,
    );
    findings.check('admission_nonce', `${path}/payload/nonce`, !nonces.has(payload.nonce));
    nonces.add(payload.nonce);
    const same = valueDigest(payload.anchor) === anchorDigest;
    findings.check('admission_anchor', `${path}/payload/anchor`, same);
  }
  const within = admissions.length <= DEFAULT_QUOTAS.admissions;
  findings.check('admission_count', '/records', within);
  if (expected.nonce !== undefined) {
    findings.check('expected_nonce', '/records', nonces.has(expected.nonce));
  } else {
    findings.skipped('expected_nonce', '/records', {
      says: 'Whether an admission answers your own nonce was not compared.',
      decisive: false,
    });
  }
}

function checkOutcomes(
  { findings }: VerifierContext,
  records: readonly CheckedRecord[],
  claim: Claim,
): void {
  const outcomes = recordsOf(records, 'ExecutionOutcome');
  const all = [...outcomes, ...recordsOf(records, 'ExecutionReconciliation')];
  for (const { payload, path } of all) {
    findings.check(
      'outcome_claim',
      path,
      payload.claim_digest === claim.digest &&
        payload.outcome.execution_identity === claim.payload.execution_identity,
    );
  }
  for (const { payload, path, issuedAt } of outcomes) {
    findings.check(
      'outcome_rules',
      path,
      outcomes.length === 1 &&
        claim.issuedAt <= issuedAt &&
        payload.outcome.status !== 'abandoned' &&
        payload.recorded_by.kind !== 'operator' &&
        payload.recorded_by.subject === claim.header.audience,
    );
  }
  for (const { payload, path, issuedAt } of recordsOf(records, 'ExecutionReconciliation')) {
    const { details } = payload.outcome;
    const grounds = isJsonObject(details) && Boolean(details['reason'] && details['evidence']);
    findings.check('outcome_rules', path, grounds && claim.issuedAt <= issuedAt);
  }
}
