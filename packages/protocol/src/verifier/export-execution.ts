import { DEFAULT_QUOTAS } from '../constants.js';
import { valueDigest } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { AuditExport } from '../records/index.js';
import type { HeardReceipt } from './export-decision.js';
import { time } from './export-request.js';
import type { Hearing } from './hearing.js';
import type { HeardProof } from './proof.js';
import type { HeardRecord } from './record.js';
import { recordsOf } from './record.js';

type Claim = HeardRecord<'ExecutionClaim'>;

/** Claim, admissions and outcomes, each against what it rests on (protocol §3.4, §5.6, §15.3, §15.5). */
export function hearExecution(
  hearing: Hearing,
  document: AuditExport,
  records: readonly HeardRecord[],
  receipt: HeardReceipt | null,
  anchor: HeardProof | null,
): void {
  const { findings, expected } = hearing;
  const claims = recordsOf(records, 'ExecutionClaim');
  const claim = claims[0] ?? null;
  const later = records.filter(
    ({ type }) =>
      type === 'AdmissionStatus' ||
      type === 'ExecutionOutcome' ||
      type === 'ExecutionReconciliation',
  );
  if (claim === null) {
    if (later.length > 0) findings.judge('claim_once', '/records', false);
    return;
  }
  const { payload, path } = claim;
  findings.judge('claim_once', path, claims.length === 1);
  const { execution } = document.request;
  findings.judge(
    'claim_receipt',
    path,
    receipt !== null &&
      payload.receipt_digest === receipt.digest &&
      receipt.payload.decision === 'authorise' &&
      payload.dispatch_before === receipt.payload.grant_deadline,
  );
  findings.judge(
    'claim_binding',
    path,
    execution !== undefined &&
      payload.execution_binding_digest === valueDigest(execution) &&
      payload.action_occurrence_id === execution.action_occurrence_id &&
      payload.execution_seconds === execution.execution_seconds,
  );
  findings.judge(
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
    findings.judge('expected_identity', path, same);
  } else {
    findings.skipped('expected_identity', path, {
      says: `The claim is of ${payload.execution_identity}; whether that is the executor you mean was not compared.`,
      decisive: false,
    });
  }
  hearAdmissions(hearing, document, records, claim);
  hearOutcomes(hearing, records, claim);
}

function hearAdmissions(
  { findings, expected }: Hearing,
  { anchor }: AuditExport,
  records: readonly HeardRecord[],
  claim: Claim,
): void {
  const admissions = recordsOf(records, 'AdmissionStatus');
  if (admissions.length === 0) return;
  const reported = recordsOf(records, 'ExecutionOutcome')[0]?.issuedAt ?? Number.POSITIVE_INFINITY;
  const nonces = new Set<string>();
  const anchorDigest = anchor === null ? null : valueDigest(anchor);
  for (const { payload, path, issuedAt } of admissions) {
    findings.judge(
      'admission_claim',
      path,
      payload.claim_id === claim.payload.id &&
        payload.claim_digest === claim.digest &&
        payload.execution_identity === claim.payload.execution_identity &&
        payload.execution_binding_digest === claim.payload.execution_binding_digest &&
        payload.dispatch_before === claim.payload.dispatch_before &&
        payload.execution_seconds === claim.payload.execution_seconds,
    );
    findings.judge(
      'admission_times',
      path,
      claim.issuedAt <= issuedAt &&
        issuedAt < time(payload.dispatch_before) &&
        issuedAt <= reported,
    );
    findings.judge('admission_nonce', `${path}/payload/nonce`, !nonces.has(payload.nonce));
    nonces.add(payload.nonce);
    const same = valueDigest(payload.anchor) === anchorDigest;
    findings.judge('admission_anchor', `${path}/payload/anchor`, same);
  }
  const within = admissions.length <= DEFAULT_QUOTAS.admissions;
  findings.judge('admission_count', '/records', within);
  if (expected.nonce !== undefined) {
    findings.judge('expected_nonce', '/records', nonces.has(expected.nonce));
  } else {
    findings.skipped('expected_nonce', '/records', {
      says: 'Whether an admission answers your own nonce was not compared.',
      decisive: false,
    });
  }
}

function hearOutcomes({ findings }: Hearing, records: readonly HeardRecord[], claim: Claim): void {
  const outcomes = recordsOf(records, 'ExecutionOutcome');
  const all = [...outcomes, ...recordsOf(records, 'ExecutionReconciliation')];
  for (const { payload, path } of all) {
    findings.judge(
      'outcome_claim',
      path,
      payload.claim_digest === claim.digest &&
        payload.outcome.execution_identity === claim.payload.execution_identity,
    );
  }
  for (const { payload, path, issuedAt } of outcomes) {
    findings.judge(
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
    findings.judge('outcome_rules', path, grounds && claim.issuedAt <= issuedAt);
  }
}
